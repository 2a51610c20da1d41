/** Options of `assay show`. */
import type { ReportSource } from '../formats/format.ts'
import type { TerminalOptions } from './terminal.ts'

export interface ShowOptions extends TerminalOptions {
  /** The name of the program and the run as the user typed them. The commands that are printed repeat them. */
  readonly program: string
  readonly run: string
  /** If true, no text is cut. */
  readonly full: boolean
  readonly text: ReportSource['text']
}
