/**
 * Checks, before the first trial, that graders which need a trajectory or a diff have subjects that provide one.
 * Otherwise such a grader would give no verdict, and the other graders alone would decide the trial.
 */
import {
  eachGrader,
  type Case,
  type Subject,
  type Suite,
  type Traces,
  UsageError,
} from '@assay/contract'
import { answerersOf } from '../../log/index.ts'
import { graderByType } from '../../grade/index.ts'

const MOST_NAMED = 5

/** The part of a subject that this check uses. */
export interface Tracing {
  readonly id: string
  readonly kind?: string
  /** Returns which records of its work the subject provides for a case. Null or absent if this is not known. */
  readonly traces?: (one: Case, suite: string) => Traces | null
}

const WANTED: Readonly<Record<keyof Traces, { what: string; who: string }>> = {
  trajectory: {
    what: 'what the subject did, step by step',
    who: 'an agent, or a command with events = "assay"',
  },
  diff: {
    what: 'what the subject changed in a workspace',
    who: 'an agent, or a command where the case has a workspace',
  },
}

/**
 * Throws a `UsageError` if a grader needs a trajectory or a diff that a subject does not provide. The message names the
 * cases, graders and subjects.
 */
export function checkTraces(
  suites: readonly Suite[],
  subjects: readonly (Tracing | Subject)[],
): void {
  const faults = suites.flatMap((suite) =>
    answerersOf(suite, subjects).flatMap((subject) =>
      suite.cases.flatMap((one) => faultsOf(subject, suite, one)),
    ),
  )
  if (faults.length === 0) return
  const named = faults.slice(0, MOST_NAMED).map((fault) => `  - ${fault}`)
  if (faults.length > MOST_NAMED) named.push(`  - and ${faults.length - MOST_NAMED} more`)
  throw new UsageError(
    `these graders look at something that their subject cannot show:\n${named.join('\n')}\nName other subjects, or leave these cases out with --case or --filter`,
  )
}

function faultsOf(subject: Tracing, suite: Suite, one: Case): string[] {
  return [...turnFaults(subject, suite, one), ...traceFaults(subject, suite, one)]
}

/**
 * Returns a message for each grader of an earlier turn if the subject is simulated. Such a subject gives one answer for
 * the whole conversation, so earlier turns have no answer to grade.
 */
const turnFaults = ({ id, kind }: Tracing, suite: Suite, one: Case): string[] =>
  kind !== 'simulated'
    ? []
    : eachGrader(one.graders).flatMap(({ name, turn = Infinity }) =>
        turn < one.turns.length
          ? [
              `case ${suite.id} ${one.id} is graded by ${name} at turn ${turn}: ${id} answers only the last turn. It takes a model, a command or an agent`,
            ]
          : [],
      )

function traceFaults({ id, traces }: Tracing, suite: Suite, one: Case): string[] {
  const shown = traces?.(one, suite.id) ?? null
  if (shown === null) return []
  return eachGrader(one.graders).flatMap(({ type, name }) => {
    const needs = graderByType(type)?.needs
    if (needs === undefined || shown[needs]) return []
    const { what, who } = WANTED[needs]
    const words = shown.diff || shown.trajectory ? 'does not show that' : 'answers with text alone'
    const grader = name === type ? type : `${name} (${type})`
    return [
      `case ${suite.id} ${one.id} is graded by ${grader}, which needs ${what}: ${id} ${words}. It takes ${who}`,
    ]
  })
}
