/**
 * The headline of a report says which subject is better, by how much, how certain this is, and at what cost. If this is
 * not decided, it says what would decide it. Every summary begins with the headline's sentence. The headline is a pure
 * function of the figures of the subjects.
 */
import type { Needed } from '@assay/metrics'
import type { Headline, Rival, SuiteHeadline } from '../schema/headline-schema.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import { compareWith } from './compare-subjects.ts'
import { MARGIN } from './decide.ts'
import { rankSubjects } from './rank-subjects.ts'
import type { NameFormat } from './figure-words.ts'
import { plainName, reportSentence, suiteSentence, whyMissing } from './sentence.ts'

/** The parts of a report from which the headline is computed. Reports of earlier versions have these parts too. */
export type HeadlineInput = Pick<Report, 'subjects'> & {
  readonly provenance: Pick<Report['provenance'], 'origin'> &
    Partial<Pick<Report['provenance'], 'stopped'>>
}

export function buildHeadline({ subjects, provenance }: HeadlineInput): Headline {
  const why = whyMissing(provenance)
  const suites = [...Map.groupBy(subjects, ({ suite }) => suite)].map(([suite, rows]) => {
    const found = suiteHeadline(suite, rows)
    return { ...found, sentence: suiteSentence(found, rows, plainName, why) }
  })
  return { sentence: reportSentence(suites, subjects, plainName, why), suites }
}

/** Returns the headline of a report. A report file of an earlier version has none, so it is computed then. */
export const headlineOf = (report: HeadlineInput & Pick<Report, 'headline'>): Headline =>
  report.headline ?? buildHeadline(report)

/** Returns the headline's sentence. `name` formats the names for the output format. */
export const headlineText = (
  report: HeadlineInput & Pick<Report, 'headline'>,
  name: NameFormat,
): string =>
  reportSentence(
    headlineOf(report).suites,
    report.subjects,
    (one) => name(plainName(one)),
    whyMissing(report.provenance),
  )

type Found = Omit<SuiteHeadline, 'sentence'>

function suiteHeadline(suite: string, rows: readonly SubjectReport[]): Found {
  const ranked = rankSubjects(rows)
  const unscored = rows.filter((row) => !ranked.includes(row)).map(({ subject }) => subject)
  const [best, ...others] = ranked
  const common = { suite, margin: MARGIN }
  if (best === undefined)
    return {
      ...common,
      verdict: 'nothing',
      best: null,
      alike: [],
      order: unscored,
      against: [],
      needed: null,
    }
  if (others.length === 0)
    return {
      ...common,
      verdict: 'one subject',
      best: best.subject,
      alike: [],
      order: [best.subject, ...unscored],
      against: [],
      needed: null,
    }
  const comparisons = (ranked.length * (ranked.length - 1)) / 2
  const compared = others
    .map((other) => ({ other, ...compareWith(best, other, comparisons) }))
    .toSorted((a, b) => rankOf(a.rival) - rankOf(b.rival))
  const rivals = compared.map(({ rival }) => rival)
  const alike = rivals.filter(
    ({ decision }) => decision !== 'worse' && decision !== 'not comparable',
  )
  return {
    ...common,
    verdict: verdictOf(rivals),
    best: best.subject,
    alike: alike.map(({ subject }) => subject),
    order: [best.subject, ...rivals.map(({ subject }) => subject), ...unscored],
    against: rivals,
    needed: neededOf(best, compared),
  }
}

/**
 * Returns the sort key of a subject. Subjects that cannot be distinguished from the best come first. `toSorted` keeps
 * the order of subjects with the same key.
 */
const rankOf = ({ decision }: Rival): number =>
  decision === 'worse' ? 1 : decision === 'not comparable' ? 2 : 0

function verdictOf(rivals: readonly Rival[]): SuiteHeadline['verdict'] {
  const comparable = rivals.filter(({ decision }) => decision !== 'not comparable')
  const isEvery = (...wanted: readonly Rival['decision'][]): boolean =>
    comparable.length > 0 && comparable.every(({ decision }) => wanted.includes(decision))
  if (isEvery('worse')) return 'better'
  if (isEvery('worse', 'worse here')) return 'better here'
  if (isEvery('equal')) return 'equal'
  return 'not decided'
}

// ── What would decide it ─────────────────────────────────────────────────────────────────────────────

interface Open {
  readonly other: SubjectReport
  readonly rival: Rival
  readonly cases: number
  readonly needed: Needed | null
  readonly isSteady?: boolean
}

/**
 * Returns what would distinguish the best subject from every subject whose comparison is not decided. It is the largest
 * number that any of them needs.
 */
function neededOf(best: SubjectReport, compared: readonly Open[]): SuiteHeadline['needed'] {
  const open = compared.flatMap(({ needed, ...one }) =>
    needed === null ? [] : [{ ...one, needed }],
  )
  if (open.length === 0) return null
  const subjects = [best, ...open.map(({ other }) => other)]
  const names = subjects.map(({ subject }) => subject)
  const cases = Math.max(...open.map((one) => one.cases))
  const steady = open.every(({ isSteady }) => isSteady === true) ? { steady: true } : {}
  const trials = greatest(open.map(({ needed }) => needed.trialsPerCase))
  if (trials !== null) {
    const each = trials * cases
    return {
      trialsPerCase: trials,
      cases: greatest(open.map(({ needed }) => needed.cases)),
      subjects: names,
      ...steady,
      trials: each * subjects.length,
      usd: usdOf(subjects, () => each),
    }
  }
  const more = greatest(open.map(({ needed }) => needed.cases))
  if (more === null) return null
  const each = (row: SubjectReport): number => Math.ceil(more * trialsPerCase(row))
  const [first] = open
  const groups = first?.rival.groups
  return {
    trialsPerCase: null,
    cases: more,
    ...(groups === undefined ? {} : { groups: Math.ceil((more * groups) / (first?.cases ?? 1)) }),
    subjects: names,
    ...steady,
    trials: subjects.reduce((sum, row) => sum + each(row), 0),
    usd: usdOf(subjects, each),
  }
}

/**
 * Returns the largest of the numbers. Null if any of them is null, because that subject then cannot be decided in this
 * way.
 */
const greatest = (list: readonly (number | null)[]): number | null =>
  list.includes(null) ? null : Math.max(...(list as number[]))

const trialsPerCase = ({ cases }: SubjectReport): number => {
  const scored = cases.filter(({ n }) => n > 0)
  return scored.reduce((sum, { n }) => sum + n, 0) / scored.length
}

function usdOf(
  subjects: readonly SubjectReport[],
  trials: (row: SubjectReport) => number,
): number | null {
  const costs = subjects.map((row) =>
    row.cost.perTrialUsd === null ? null : row.cost.perTrialUsd * trials(row),
  )
  if (costs.includes(null)) return null
  const total = (costs as number[]).reduce((sum, usd) => sum + usd, 0)
  return total > 0 ? total : null
}
