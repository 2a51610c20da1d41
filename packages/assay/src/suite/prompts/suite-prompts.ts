/**
 * Checks the prompts of a suite while the suite is read: which variables they need, and whether every case has these
 * variables.
 */
import type { Case, Prompt } from '@assay/contract'
import { quote, type Notes, type Path } from '../../documents/index.ts'
import { nearest } from '../../text/index.ts'
import type { RowCase } from '../data/rows.ts'
import { TemplateError } from '../data/template.ts'
import { compilePrompts } from './render-prompt.ts'

export interface SuitePrompts {
  readonly given: readonly Prompt[]
  /** The variables that the prompts use. */
  readonly variables: readonly string[]
  /** Whether every prompt has its own user message. Cases then need no prompt. */
  readonly ask: boolean
  /**
   * Notes the variables that a case lacks for one of the prompts. `row` is given if the variables come from the
   * columns of a row.
   */
  check(one: Case, path: Path, notes: Notes, row?: Pick<RowCase, 'lacks'>): void
}

/** Compiles the prompts. Returns null if one of them is not a valid template. The problem is then noted. */
export async function suitePrompts(
  given: readonly Prompt[],
  notes: Notes,
): Promise<SuitePrompts | null> {
  try {
    const compiled = await compilePrompts(given)
    return {
      given,
      variables: [...new Set(compiled.flatMap(({ variables }) => variables))],
      ask: compiled.every(({ asks }) => asks),
      check(one, path, found, row) {
        for (const prompt of compiled)
          try {
            prompt.apply(one)
          } catch (error) {
            if (!(error instanceof TemplateError)) throw error
            if (row !== undefined && error.missing !== null)
              row.lacks(['prompts', prompt.name], error.missing)
            else
              found.problem(path, {
                found: error.message,
                expected: 'a case that the prompt can be filled with',
                message: `prompt ${quote(prompt.name)}: ${faultOf(error, one)}`,
              })
          }
      },
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    notes.problem(['prompts'], {
      expected: 'templates',
      message: `not a template: ${error.message}`,
    })
    return null
  }
}

function faultOf({ missing, message }: TemplateError, { id, vars = {} }: Case): string {
  if (missing === null) return message
  const near = nearest(missing, Object.keys(vars))
  const meant = near === null ? ` (vars = { ${missing} = … })` : `; did you mean ${near}?`
  return `the case ${quote(id)} has no variable ${quote(missing)}${meant}`
}
