/** Options of `assay show`. */
import type { ReportSource } from '../formats/format.ts'
import type { TerminalOptions } from './terminal.ts'

export interface ShowOptions extends TerminalOptions {
  /** The program and the run as the user named them, for the printed commands. */
  readonly program: string
  readonly run: string
  /** If true, no text is cut. */
  readonly full: boolean
  readonly text: ReportSource['text']
}
