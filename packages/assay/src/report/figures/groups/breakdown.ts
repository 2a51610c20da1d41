/**
 * Figures by tag, by group or by a key of the cases' metadata. They are computed from the sums of the cases in a
 * report, so a report file is enough, without the log. Each value of a key has its own cases, and its intervals are
 * based on these cases alone. A case with several tags counts for each of its tags, so the rows for tags do not add up
 * to the suite.
 */
import {
  costOfPassRatio,
  DEFAULT_LEVEL,
  fsum,
  meanScoreEstimate,
  passRateEstimate,
  type CaseScores,
  type Metric,
  type Target,
} from '@assay/metrics'
import { UsageError, type Metadatum } from '@assay/contract'
import { counted, natural, nearest } from '../../../text/index.ts'
import { groupNames } from './case-groups.ts'
import type { Breakdown, BreakdownRow, CaseReport, Report } from '../../schema/report.ts'
import { reported } from '../../schema/to-metric.ts'

/** The keys that are fields of a case. All other keys are looked up in its metadata. */
const OWN_KEYS = ['tag', 'group'] as const

/** The fields of a case by which figures can be broken down. */
export interface Labelled {
  readonly tags?: readonly string[] | undefined
  readonly group?: string | undefined
  readonly metadata?: Readonly<Record<string, Metadatum>> | undefined
}

/**
 * Returns the values that a case has for a key. There can be several values for `tag`. There are none if the case does
 * not have the key.
 */
export function valuesBy({ tags = [], group, metadata = {} }: Labelled, key: string): string[] {
  if (key === 'tag') return [...new Set(tags)]
  if (key === 'group') return group === undefined ? [] : [group]
  return Object.hasOwn(metadata, key) ? [String(metadata[key])] : []
}

/** Throws if no case has one of the keys. The message lists the keys that the cases have. */
export function checkKeys(keys: readonly string[], cases: readonly Labelled[]): void {
  const known = [
    ...OWN_KEYS.filter((key) => cases.some((one) => valuesBy(one, key).length > 0)),
    ...new Set(cases.flatMap(({ metadata = {} }) => Object.keys(metadata))),
  ]
  for (const key of keys) {
    if (known.includes(key)) continue
    const near = nearest(key, known)
    const there =
      known.length === 0 ? 'no case has tags, a group or metadata' : `there is ${known.join(', ')}`
    throw new UsageError(
      `--by ${key}: no case has it; ${near === null ? there : `did you mean ${near}?`}`,
    )
  }
}

/**
 * Adds a breakdown to the report for each key. It has the figures of each group of cases with the same value of the
 * key, such as the same tag.
 */
export function withBreakdowns(report: Report, keys: readonly string[]): Report {
  if (keys.length === 0) return report
  checkKeys(
    keys,
    report.subjects.flatMap(({ cases }) => cases),
  )
  return { ...report, by: [...new Set(keys)].map((key) => breakdown(report, key)) }
}

function breakdown(report: Report, key: string): Breakdown {
  const all = new Map<string, CaseReport>()
  const rows: BreakdownRow[] = []
  for (const { suite, subject, cases } of report.subjects) {
    for (const one of cases) all.set(JSON.stringify([suite, one.case]), one)
    const byValue = new Map<string, CaseReport[]>()
    for (const one of cases)
      for (const value of valuesBy(one, key))
        byValue.set(value, [...(byValue.get(value) ?? []), one])
    for (const [value, own] of byValue) rows.push({ value, suite, subject, ...figures(own) })
  }
  const place = new Map(report.subjects.map(({ suite, subject }, i) => [`${suite} ${subject}`, i]))
  const at = ({ suite, subject }: BreakdownRow): number => place.get(`${suite} ${subject}`) ?? 0
  const without = [...all.values()].filter((one) => valuesBy(one, key).length === 0).length
  const several = [...all.values()].filter((one) => valuesBy(one, key).length > 1).length
  return {
    key,
    rows: rows.sort((a, b) => natural(a.value, b.value) || at(a) - at(b)),
    without,
    several,
    notes: notesOf(key, { all: all.size, without, several }),
  }
}

export function notesOf(
  key: string,
  { all, without, several }: { all: number; without: number; several: number },
): string[] {
  return [
    ...(without === 0
      ? []
      : [`${without} of ${counted(all, 'case')} without ${named(key)}: in no row`]),
    ...(several === 0
      ? []
      : [`${counted(several, 'case')} with more than one ${key}, counted in the row of each`]),
  ]
}

const named = (key: string): string => (key === 'tag' || key === 'group' ? `a ${key}` : key)

type Figures = Omit<BreakdownRow, 'subject' | 'suite' | 'value'>

const NOTHING: Metric = { value: null, n: 0, reason: 'no trial was scored' }

function figures(cases: readonly CaseReport[]): Figures {
  const scored = cases.filter(({ n }) => n > 0)
  const withScore = scored.filter(({ sums }) => sums.scores > 0)
  const total = (pick: (one: CaseReport) => number): number =>
    scored.reduce((sum, one) => sum + pick(one), 0)
  const rate = (target: Target): Metric =>
    scored.length === 0
      ? NOTHING
      : passRateEstimate(scored, target, DEFAULT_LEVEL, groupsOf(scored))
  const score = (target: Target): Metric =>
    withScore.length === 0
      ? NOTHING
      : meanScoreEstimate(withScore.map(scoresOf), target, DEFAULT_LEVEL, groupsOf(withScore))
  return {
    cases: scored.length,
    passed: total(({ c }) => c),
    scored: total(({ n }) => n),
    passRate: reported(rate('population')),
    meanScore: reported(score('population')),
    costPerPass: reported(costOf(scored)),
    fixed: { passRate: reported(rate('fixed')), meanScore: reported(score('fixed')) },
  }
}

const groupsOf = (cases: readonly CaseReport[]): readonly string[] | undefined =>
  groupNames(cases.map(({ case: id, group }) => ({ id, group })))

/** Returns the sums of a case's scores, limited to the possible range. Rounding can put them slightly outside of it. */
function scoresOf({ sums }: CaseReport): CaseScores {
  const n = sums.scores
  const sum = Math.min(n, Math.max(0, sums.score))
  return { n, sum, sumSq: Math.min(sum, Math.max((sum * sum) / n, sums.scoreSq)) }
}

function costOf(scored: readonly CaseReport[]): Metric {
  if (scored.length === 0) return NOTHING
  const unknown = fsum(scored.map(({ n, sums }) => n - sums.costs))
  if (unknown > 0)
    return {
      value: null,
      n: scored.length,
      reason: `the price of ${counted(unknown, 'answer')} is unknown`,
    }
  return costOfPassRatio(
    scored.map(({ n, c, sums }) => ({ n, c, cost: sums.costUsd })),
    DEFAULT_LEVEL,
    1,
    groupsOf(scored),
  )
}
