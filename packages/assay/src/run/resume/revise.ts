/**
 * Decides whether a run may be resumed with a new plan. The new plan may have more trials, cases and subjects than the
 * old one, but not fewer. A changed case or subject is refused, because the recorded results were measured with the old
 * one. The user can allow changes.
 */
import { type Subject, type Suite, UsageError } from '@assay/contract'
import type { Revision, Plan } from '../../log/index.ts'
import { hashOf } from '@assay/contract/hash'

/** Throws a `UsageError` that lists all conflicts between the recorded plan and the new one. */
export function checkExtends(
  before: Revision,
  plan: Plan<Suite, Subject>,
  judges: readonly Subject[],
  allowChanged: boolean,
): void {
  const missing: string[] = []
  const changed: string[] = []
  const trialsOf = new Map(plan.cells.map((cell) => [cell.case, cell.trialsOfAllParts]))
  for (const subject of before.subjects) {
    const now = plan.subjects.find(({ id }) => id === subject.id)
    if (now === undefined) missing.push(`subject ${subject.id}`)
    else if (hashOf(now.config) !== subject.hash)
      changed.push(`subject ${subject.id}: its parameters`)
  }
  // A removed judge is not reported here. The hashes of the cases that used it have changed, so these cases are
  // reported.
  for (const judge of before.judges ?? []) {
    const now = judges.find(({ id }) => id === judge.id)
    if (now !== undefined && hashOf(now.config) !== judge.hash)
      changed.push(`judge ${judge.id}: its parameters`)
  }
  for (const suite of before.suites) {
    const now = plan.suites.find(({ id }) => id === suite.id)
    if (now === undefined) {
      missing.push(`suite ${suite.id}`)
      continue
    }
    const cases = new Map(now.cases.map((one) => [one.id, one]))
    for (const one of suite.cases) {
      const planned = cases.get(one.id)
      if (planned === undefined) missing.push(`case ${suite.id} ${one.id}`)
      else {
        if (planned.hash !== one.hash)
          changed.push(`case ${suite.id} ${one.id}: what it asks or how it is graded`)
        const trials = trialsOf.get(planned) ?? 0
        if (trials < one.trials)
          missing.push(
            `trials of case ${suite.id} ${one.id}: ${one.trials} were planned, now ${trials}`,
          )
      }
    }
  }
  if (missing.length > 0)
    throw new UsageError(
      `the run cannot be made smaller. It was planned with what is missing now:\n${listed(missing)}\nStart a new run for a smaller plan`,
    )
  if (changed.length > 0 && !allowChanged)
    throw new UsageError(
      `these have changed since the run was started:\n${listed(changed)}\nStart a new run, or resume with --allow-changed: changed cases are then run again, and the record says so`,
    )
}

const SHOWN = 20

function listed(items: readonly string[]): string {
  const lines = items.slice(0, SHOWN).map((item) => `  - ${item}`)
  if (items.length > SHOWN) lines.push(`  - and ${items.length - SHOWN} more`)
  return lines.join('\n')
}
