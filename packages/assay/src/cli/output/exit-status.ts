/** Converts how a run ended to an exit code and a message for the user. */
import { plain } from '@assay/contract'
import { namedDamage, type Ending, type LinesRead, type Counts } from '../../log/index.ts'
import type { BudgetState } from '../../run/index.ts'
import { counted, dollars } from '../../text/index.ts'

export interface Verdict {
  readonly code: 0 | 3 | 130
  /** One sentence for the user. Null if the run completed normally. */
  readonly said: string | null
  /** Whether `--resume` would find trials that are still to run. */
  readonly resumable: boolean
}

export function verdictOf(
  ended: Ending,
  counts: Counts,
  {
    tooManyErrors,
    allowPartial,
    budget = null,
  }: { tooManyErrors: boolean; allowPartial: boolean; budget?: BudgetState | null },
): Verdict {
  const { planned, passed, failed, unscored, errored, cancelled } = counts
  const resumable = cancelled > 0 || errored > 0
  if (ended === 'interrupted')
    return { code: 130, said: `interrupted with ${counted(cancelled, 'trial')} not run`, resumable }
  if (ended === 'partial')
    return {
      code: 3,
      said: `partial: a provider was given up, ${counted(errored, 'trial')} errored`,
      resumable,
    }
  if (tooManyErrors)
    return {
      code: 3,
      said: `${counted(errored, 'trial')} errored, more than --max-errors allows: the figures are not to be trusted`,
      resumable,
    }
  if (ended === 'budget')
    return {
      code: allowPartial ? 0 : 3,
      said: `the budget was reached with ${counted(cancelled, 'trial')} not run${budget === null ? '' : `: ${budgetText(budget)}`}`,
      resumable,
    }
  // A plan can have no trials only if it is one part of a larger plan (`--shard`).
  if (planned === 0 && ended === 'complete')
    return { code: 0, said: 'no trial of the plan belongs to this part', resumable }
  if (passed + failed === 0)
    return {
      code: 3,
      said: unscored > 0 ? 'nothing was scored: the cases have no graders' : 'nothing was scored',
      resumable,
    }
  if (cancelled > 0) return { code: 3, said: `${counted(cancelled, 'trial')} not run`, resumable }
  return { code: 0, said: null, resumable }
}

const budgetText = ({
  limitUsd,
  spentUsd,
  reservedUsd,
  expectedUsd,
  subject,
}: BudgetState): string =>
  `${dollars(spentUsd)} of ${dollars(limitUsd)} spent, ${dollars(reservedUsd)} reserved for answers under way, ${dollars(expectedUsd)} expected for the next answer of ${plain(subject)}`

/** Returns warnings about the log: lines that are incomplete or damaged. */
export function noticesOf(read: LinesRead): string[] {
  const notices: string[] = []
  if (read.torn) notices.push('the last line of the log was cut short and is left out')
  if (read.damaged > 0)
    notices.push(`${namedDamage(read)}; no figure counts ${read.damaged === 1 ? 'it' : 'them'}`)
  return notices
}
