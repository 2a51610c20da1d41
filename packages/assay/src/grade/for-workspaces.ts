/**
 * Graders, and options of them, that have no meaning where the case has a workspace: what they look at is
 * the text of the answer, and there the work is in the files. Refused when the suite is read.
 */
import type { GraderConfig } from '../contract.ts'
import type { OptionFault } from './grader.ts'

/** What is wrong with a grader in a case with a workspace; null where nothing is. */
export function workspaceFault({
  type,
  options,
}: Pick<GraderConfig, 'type' | 'options'>): OptionFault | null {
  if (type === 'code')
    return {
      path: ['type'],
      found: 'the grader code in a case with a workspace',
      expected: 'run, which runs a command such as a test in the workspace',
    }
  if (type === 'run' && isTable(options) && options['answerFile'] !== undefined)
    return {
      path: ['answerFile'],
      at: 'key',
      found: 'answerFile in a case with a workspace',
      expected: 'no answerFile: the files are those of the workspace',
    }
  return null
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
