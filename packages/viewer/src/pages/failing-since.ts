/** Finds out since when a case passes or fails, from its outcomes in all runs. */
import type { CaseEntry } from '../data/workbench-source.ts'

export type Standing =
  /**
   * Every scored trial of the last run passed. `since` is the first of the consecutive runs for which this is true.
   * `before` is the run before that one. Null if there is none.
   */
  | { readonly kind: 'passes'; readonly since: CaseEntry; readonly before: CaseEntry | null }
  /**
   * A scored trial of the last run failed. `since` is the first of the consecutive runs with a failure. `before` is
   * the last run in which all scored trials passed. Null if there is none.
   */
  | { readonly kind: 'fails'; readonly since: CaseEntry; readonly before: CaseEntry | null }
  /** No run has a scored trial. */
  | { readonly kind: 'unscored' }

/**
 * Returns since when a case passes or fails. `entries` belong to one subject, oldest first. Runs without a scored
 * trial are ignored.
 */
export function standingOf(entries: readonly CaseEntry[]): Standing {
  const scored = entries.filter(({ outcomes }) => /[pf]/.test(outcomes))
  const last = scored.at(-1)
  if (last === undefined) return { kind: 'unscored' }
  const isFailing = ({ outcomes }: CaseEntry): boolean => outcomes.includes('f')
  const turn = scored.findLastIndex((one) => isFailing(one) !== isFailing(last))
  return {
    kind: isFailing(last) ? 'fails' : 'passes',
    since: scored[turn + 1] ?? last,
    before: scored[turn] ?? null,
  }
}
