/**
 * Decides which subjects answer which suite. The functions of a suite answer only that suite. Models answer every
 * suite without functions. They answer a suite with functions only if the command line names them, because models in
 * assay.toml are meant for the other suites.
 */
import { UsageError, type Subject, type Suite } from '@assay/contract'
import { functionSubjects, passVariables } from '../../functions/index.ts'
import type { Revision } from '../../log/index.ts'
import { NO_SUBJECTS } from './run-request.ts'

export interface SuiteSubjects {
  readonly suites: readonly Suite[]
  /** The functions of the suites, as subjects. */
  readonly subjects: readonly Subject[]
  /** Whether at least one suite asks the models. */
  readonly asksModels: boolean
}

interface Models {
  readonly ids: readonly string[]
  /** Whether the command line names the models. */
  readonly areNamed: boolean
  /** The record of the run that is resumed. Null for a new run. */
  readonly before: Revision | null
}

export function suiteSubjects(
  suites: readonly Suite[],
  models: Models,
  variables: Readonly<Record<string, string | undefined>>,
): SuiteSubjects {
  const subjects = functionSubjects(suites, variables)
  if (subjects.length === 0) {
    if (models.ids.length === 0) throw new UsageError(NO_SUBJECTS)
    return { suites, subjects, asksModels: true }
  }
  const given = suites.map((suite): Suite => {
    const own = suite.functions?.description.subjects ?? []
    passVariables(suite, variables)
    const answering = own.length === 0 || asksModels(suite, models) ? models.ids : []
    if (own.length + answering.length === 0)
      throw new UsageError(`${suite.path} has no functions that answer: ${NO_SUBJECTS}`)
    return { ...suite, subjects: [...answering, ...own] }
  })
  return {
    suites: given,
    subjects,
    asksModels: given.some((suite) => suite.subjects?.some((id) => models.ids.includes(id))),
  }
}

function asksModels({ id }: Suite, { ids, areNamed, before }: Models): boolean {
  if (before === null) return areNamed
  const recorded = before.suites.find((suite) => suite.id === id)?.subjects ?? []
  return areNamed || recorded.some((subject) => ids.includes(subject))
}
