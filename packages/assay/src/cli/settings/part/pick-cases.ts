/**
 * Picks a part of the cases: `--only failed --of RUN`, `--limit` and `--sample`. The picked cases are stored in the
 * run's request. So a resumed run has the same cases, even if the run that `--of` named has changed since.
 */
import { UsageError, type Suite } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import type { LeftOutRecord } from '../../../log/index.ts'
import { readRun, type Report } from '../../../report/index.ts'
import { selectFromSuites } from '../../../suite/index.ts'
import { counted } from '../../../text/index.ts'
import type { Only, Picked } from './only.ts'
import type { RunFlags } from '../run-flags.ts'

/** Whether the flags ask for only a part of the cases. */
export const isPicking = ({ only, limit, sample }: RunFlags): boolean =>
  only !== undefined || limit !== undefined || sample !== undefined

/** Picks the cases that the flags ask for. `find` returns the folder of a run. */
export async function pickCases(
  suites: readonly Suite[],
  flags: RunFlags,
  seed: number,
  find: (name: string) => string,
): Promise<Picked> {
  const { only, of = 'latest', limit, sample } = flags
  const folder = only === undefined ? null : find(of)
  const isWanted =
    only === undefined || folder === null
      ? () => true
      : wantedBy(only, (await readRun(folder)).report)
  const words = [
    ...(only === undefined ? [] : [`--only ${only} --of ${folder ?? of}`]),
    ...(limit === undefined ? [] : [`--limit ${limit}`]),
    ...(sample === undefined ? [] : [`--sample ${sample} --seed ${seed}`]),
  ].join(' ')
  const cases = suites.map((suite) => {
    let ids = suite.cases.filter((one) => isWanted(suite.id, one.id, one.hash)).map(({ id }) => id)
    if (sample !== undefined) ids = sampled(ids, suite.id, sample, seed)
    if (limit !== undefined) ids = ids.slice(0, limit)
    return { suite: suite.id, ids }
  })
  if (cases.every(({ ids }) => ids.length === 0))
    throw new UsageError(
      `${words} leaves no case${only === undefined ? '' : `: no case of these suites ${IS[only]} in ${folder ?? of}`}`,
    )
  return { words, cases: cases.filter(({ ids }) => ids.length > 0) }
}

const IS: Readonly<Record<Only, string>> = {
  failed: 'failed',
  errored: 'errored',
  flaky: 'was flaky',
  changed: 'has changed since it ran',
}

/** Returns a function that tells whether a case belongs to the part, judged by the report of an earlier run. */
function wantedBy(
  only: Only,
  report: Report,
): (suite: string, one: string, hash: string) => boolean {
  const found = new Map<string, { hash: string; isWanted: boolean }>()
  for (const { suite, cases } of report.subjects)
    for (const one of cases) {
      const key = JSON.stringify([suite, one.case])
      const isWanted =
        only === 'failed'
          ? one.counts.failed > 0
          : only === 'errored'
            ? one.counts.errored + one.counts.cancelled > 0
            : one.flaky
      found.set(key, {
        hash: one.caseHash,
        isWanted: isWanted || found.get(key)?.isWanted === true,
      })
    }
  return (suite, one, hash) => {
    const known = found.get(JSON.stringify([suite, one]))
    if (only === 'changed') return known === undefined || known.hash !== hash
    return known?.isWanted === true
  }
}

/**
 * Returns a random sample of ids, in the order of the suite. The sample depends on the seed and the ids, but not on the
 * order of the ids.
 */
function sampled(ids: readonly string[], suite: string, count: number, seed: number): string[] {
  const rank = new Map(ids.map((id) => [id, hashOf([seed, suite, id])]))
  const chosen = new Set(
    ids.toSorted((a, b) => ((rank.get(a) ?? '') < (rank.get(b) ?? '') ? -1 : 1)).slice(0, count),
  )
  return ids.filter((id) => chosen.has(id))
}

/** Returns the suites with only the picked cases. Throws if a picked case does not exist. */
export function withPicked(suites: readonly Suite[], { cases }: Picked): Suite[] {
  return cases.flatMap(({ suite: id, ids }) => {
    const suite = suites.find((one) => one.id === id)
    if (suite === undefined) throw new UsageError(`there is no suite ${id} any more`)
    return selectFromSuites([suite], { cases: ids })
  })
}

/** Returns what a run leaves out of its suites, for the record. Null if it leaves nothing out. */
export function leftOut(
  all: readonly Suite[],
  selected: readonly Suite[],
  words: string,
): LeftOutRecord | null {
  const suites = all.flatMap(({ id, cases }) => {
    const kept = selected.find((one) => one.id === id)?.cases.length ?? 0
    return kept === cases.length ? [] : [{ suite: id, cases: kept, of: cases.length }]
  })
  return suites.length === 0 ? null : { words, suites }
}

/** Returns a warning, printed before the run, about what the run leaves out. */
export const leftOutWarning = (part: LeftOutRecord): string =>
  `only ${part.suites.map(({ suite, cases, of }) => `${cases} of ${counted(of, 'case')} of ${suite}`).join(', ')} (${part.words})`
