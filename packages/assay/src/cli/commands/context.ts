import type { Output } from '../output/output.ts'

/** The context that every command gets when it is declared. */
export interface Context {
  readonly output: Output
  /** Sets the exit code of the process. */
  readonly exit: (code: number) => void
}
