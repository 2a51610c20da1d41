/** How much of a trial is shown. */
import type { ReportSource } from '../formats/format.ts'
import type { TerminalOptions } from './terminal.ts'

export interface ShowOptions extends TerminalOptions {
  /** How this program and the run were named, for the commands that are printed. */
  readonly program: string
  readonly run: string
  /** Nothing is cut. */
  readonly full: boolean
  readonly text: ReportSource['text']
}
