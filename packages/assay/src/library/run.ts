/** The function with which a program runs a plan. */
import { UsageError, type Subject } from '@assay/contract'
import { functionSubjects } from '../functions/index.ts'
import { run as runPlan, type RunOptions, type RunResult } from '../run/index.ts'
import { makeSubjects } from '../subject/index.ts'
import { withPrompts } from '../suite/index.ts'
import { suiteOf, type AnySuite, type LoadSuiteOptions } from './suites.ts'

/** The input of `run`: the options of a run, with suites and subjects in any form. */
export interface RunRequest
  extends Omit<RunOptions, 'suites' | 'subjects'>, Pick<LoadSuiteOptions, 'allowModules'> {
  /** Each suite is loaded already, the path of a file, or a plain object. */
  readonly suites: readonly AnySuite[]
  /**
   * Subjects, or texts in the form that the command line takes. If a suite has functions, these answer its cases
   * too.
   */
  readonly subjects?: readonly (Subject | string)[]
}

/**
 * Runs or resumes a plan.
 *
 * @example
 * await run({
 *   suites: [{ id: 'sums', cases: [{ id: 'two', prompt: '1 + 1?', graders: [{ type: 'equals', value: '2' }] }] }],
 *   subjects: ['openai/gpt-5-mini'],
 *   folder: 'runs/first',
 * })
 */
export async function run({
  suites: given,
  subjects = [],
  allowModules,
  ...options
}: RunRequest): Promise<RunResult> {
  const loading = allowModules === undefined ? {} : { allowModules }
  const suites = await Promise.all(given.map((one) => suiteOf(one, loading)))
  const texts = subjects.filter((one) => typeof one === 'string')
  const made = texts.length === 0 ? [] : await makeSubjects({ subjects: texts, env: process.env })
  const named = subjects.map((one) =>
    typeof one === 'string' ? (made[texts.indexOf(one)] as Subject) : one,
  )
  const functions = functionSubjects(suites, process.env)
  if (named.length + functions.length === 0)
    throw new UsageError('say who answers: subjects, or functions of the suites')
  const ids = named.map(({ id }) => id)
  const own =
    functions.length === 0
      ? suites
      : suites.map((suite) => ({
          ...suite,
          subjects: [...ids, ...(suite.functions?.description.subjects ?? [])],
        }))
  const plan = await withPrompts(own, [...named, ...functions])
  return await runPlan({ ...options, suites: plan.suites, subjects: plan.subjects })
}
