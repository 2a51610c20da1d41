/** The grader of code: compiles, tests and lints the code in the answer. `@assay/code` does the work. */
import { codeOptions, gradeCode, type CodeOptions } from '@assay/code'
import type { Grader } from './grader.ts'

export const code: Grader<CodeOptions> = {
  type: 'code',
  summary: 'the code in the answer compiles, passes hidden tests and is clean',
  options: codeOptions,
  keepsDeadline: true,
  needsSandbox: true,
  workspaceFault: () => ({
    path: ['type'],
    found: 'the grader code in a case with a workspace',
    expected: 'run, which runs a command such as a test in the workspace',
  }),
  grade: gradeCode,
}
