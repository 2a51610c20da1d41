/** Builds the record of a merged run from the records of its parts. */
import {
  lastRevision,
  type Ending,
  type Revision,
  type RunRecord,
  type WaitRecord,
} from '../log/index.ts'
import type { Part } from './check-parts.ts'

export function mergedRecord(
  parts: readonly Part[],
  { id, ended, at }: { readonly id: string; readonly ended: Ending; readonly at: string },
): RunRecord {
  const [first] = parts as [Part, ...Part[]]
  const records = parts.map(({ record }) => record)
  const { version, tool, seed } = first.record
  const stoppedUsd = records.reduce((sum, record) => sum + (record.stoppedUsd ?? 0), 0)
  const askedAgain = records.reduce((sum, record) => sum + (record.askedAgain ?? 0), 0)
  const waits = mergedWaits(records.flatMap((record) => record.waits ?? []))
  return {
    assay: 'run',
    version,
    id,
    // The start time is the time of the merge, so that `latest` finds the merged run and not one of its parts.
    createdAt: at,
    tool,
    seed,
    merged: records.map((record) => record.id),
    ...commitOfAll(records),
    ...(records.some(({ edited }) => edited === true) ? { edited: true as const } : {}),
    revisions: mergedRevisions(records),
    ended: { at, how: ended },
    ...(waits.length === 0 ? {} : { waits }),
    ...(stoppedUsd === 0 ? {} : { stoppedUsd }),
    ...(askedAgain === 0 ? {} : { askedAgain }),
  }
}

/**
 * Returns the revisions of the part that has the most revisions, because the plan was changed that often. The last
 * revision applies to all parts. Each part had its own budget, so the merged budget is the sum.
 */
function mergedRevisions(records: readonly RunRecord[]): Revision[] {
  const longest = records.reduce((most, record) =>
    record.revisions.length > most.revisions.length ? record : most,
  )
  const last = records.map(lastRevision)
  const budgets = last.map(({ budgetUsd }) => budgetUsd)
  const parallelism = new Set(last.map((one) => one.parallelism))
  const { parallelism: _parallelism, unmasked: _unmasked, ...revision } = lastRevision(longest)
  const [inAll] = parallelism
  return [
    ...longest.revisions.slice(0, -1),
    {
      ...revision,
      budgetUsd: budgets.includes(null)
        ? null
        : budgets.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
      ...(parallelism.size === 1 && inAll !== undefined ? { parallelism: inAll } : {}),
      ...unmaskedIn(last),
    },
  ]
}

function unmaskedIn(last: readonly Revision[]): Pick<Revision, 'unmasked'> {
  const all = (key: 'short' | 'written'): string[] => [
    ...new Set(last.flatMap(({ unmasked }) => unmasked?.[key] ?? [])),
  ]
  const [short, written] = [all('short'), all('written')]
  if (short.length + written.length === 0) return {}
  return {
    unmasked: {
      ...(short.length > 0 ? { short } : {}),
      ...(written.length > 0 ? { written } : {}),
    },
  }
}

/** Combines the waits of all parts into one entry for each provider. */
function mergedWaits(waits: readonly WaitRecord[]): WaitRecord[] {
  const byProvider = new Map<string, WaitRecord>()
  for (const wait of waits) {
    const known = byProvider.get(wait.provider)
    const last = known === undefined || wait.until > known.until ? wait : known
    byProvider.set(wait.provider, {
      provider: wait.provider,
      waits: (known?.waits ?? 0) + wait.waits,
      from: known === undefined || wait.from < known.from ? wait.from : known.from,
      until: last.until,
      why: last.why,
      trials: (known?.trials ?? 0) + wait.trials,
      ...(known?.gaveUp === true || wait.gaveUp === true ? { gaveUp: true as const } : {}),
    })
  }
  return [...byProvider.values()]
}

/** Returns the commit at which all parts were started. Empty if the parts were started at different commits. */
function commitOfAll(records: readonly RunRecord[]): Pick<RunRecord, 'commit'> {
  const [commit, ...others] = new Set(records.map((record) => record.commit))
  return commit === undefined || others.length > 0 ? {} : { commit }
}
