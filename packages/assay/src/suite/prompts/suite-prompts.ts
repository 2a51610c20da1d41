/** The prompts of a suite while it is read: which variables they need, and whether every case has them. */
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
  /** True if no prompt needs the case's own prompt. */
  readonly ask: boolean
  /** Notes what a case lacks to be asked with each prompt. `row` is the row that it comes from, if it has the columns of it. */
  check(one: Case, path: Path, notes: Notes, row?: Pick<RowCase, 'lacks'>): void
}

/** Returns null after it has noted a prompt that is not a template. */
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
