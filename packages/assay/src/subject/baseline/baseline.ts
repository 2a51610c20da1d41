/**
 * Two subjects that show what a suite measures before money is spent. `reference` gives the reference answer of each
 * case and should pass every case. `nothing` does nothing and should pass none. Their answers cost nothing and are
 * marked as simulated.
 */
import { SubjectError, UsageError, type Case, type Subject, type Suite } from '@assay/contract'
import type { Baseline } from '../names.ts'
import { applyDiff, isDiff } from './apply-diff.ts'

const NO_USAGE = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }
const CONCURRENCY = { start: 16, most: 64 }
const MOST_NAMED = 5
/** The answer of `nothing`. It is not empty, because an empty answer would fail before any grader sees it. */
const NOTHING = 'Nothing was done.'

export function baselineSubject(
  id: string,
  baseline: Baseline,
): Subject & { check(suites: readonly Suite[]): void } {
  /** Whether the subject works in the workspace of the case. Its changes are then recorded. */
  const works = ({ workspace, reference }: Case): boolean =>
    workspace !== null && (baseline === 'nothing' || (reference !== null && isDiff(reference)))
  return {
    id,
    kind: 'command',
    source: 'simulated',
    pool: `baseline ${id}`,
    concurrency: CONCURRENCY,
    config: { baseline },
    secrets: [],
    takesAllTurns: true,
    traces: (one) => ({ trajectory: false, diff: works(one) }),

    check(suites) {
      if (baseline === 'nothing') return
      const lacking = suites.flatMap((suite) =>
        suite.cases
          .filter(({ reference }) => reference === null)
          .map((one) => `${suite.id}/${one.id}`),
      )
      if (lacking.length === 0) return
      const more = lacking.length - MOST_NAMED
      throw new UsageError(
        `${id} gives the reference of each case, and these have none: ${lacking.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Add them, or leave these cases out with --case or --filter`,
      )
    },

    estimateUsd: () => 0,

    async answer({ case: one, openWorkspace, signal }) {
      const free = { stop: 'end', usage: NO_USAGE, usd: 0 } as const
      const text = baseline === 'nothing' ? NOTHING : one.reference
      if (text === null)
        throw new SubjectError(`${id} cannot answer ${one.id}, which has no reference`, {
          reason: 'no-answer',
          retry: false,
        })
      if (!works(one) || openWorkspace === undefined) return { ...free, text }
      const workspace = await openWorkspace()
      try {
        const diff =
          baseline === 'nothing' ? await workspace.diff() : await applyDiff(workspace, text, signal)
        return {
          ...free,
          text: baseline === 'nothing' ? NOTHING : 'The reference was applied.',
          diff,
        }
      } finally {
        await workspace.close()
      }
    },

    async close() {},
  }
}
