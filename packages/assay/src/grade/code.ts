/** The code grader: compiles, tests and lints the code in the answer. `@assay/code` does the work. */
import { codeOptions, gradeCode, type CodeOptions } from '@assay/code'
import { CODE_GRADER } from '@assay/contract'
import type { Grader } from './grader.ts'

export const code: Grader<CodeOptions> = {
  type: CODE_GRADER,
  summary: 'the code in the answer compiles, passes hidden tests and is clean',
  options: codeOptions,
  keepsDeadline: true,
  needsSandbox: true,
  runsTests: true,
  workspaceFault: () => ({
    path: ['type'],
    found: 'the grader code in a case with a workspace',
    expected: 'run, which runs a command such as a test in the workspace',
  }),
  grade: gradeCode,
}
