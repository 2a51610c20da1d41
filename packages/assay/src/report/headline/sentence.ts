/**
 * Expresses the headline in words that a reader can act on. The words are the same in every format. Only names are
 * formatted differently, because they are untrusted and each format escapes them in its own way.
 */
import { plain } from '@assay/contract'
import { count, counted, cut, percent } from '../../text/index.ts'
import type { Rival, SuiteHeadline } from '../schema/headline-schema.ts'
import type { SubjectReport } from '../schema/report.ts'
import { cheaper, costOf } from './cost-words.ts'
import {
  differenceText,
  intervalWords,
  listed,
  pWords,
  pointsText,
  rateText,
  type NameFormat,
} from './figure-words.ts'
import { neededWords } from './needed-words.ts'

const MOST_NAME = 60

export const plainName: NameFormat = (name) => cut(plain(name), MOST_NAME)

/**
 * The maximum number of suites that the first line describes. With more suites, only the first ones are in it. Each
 * suite also has its own sentence.
 */
const MOST_SUITES = 3

type Found = Omit<SuiteHeadline, 'sentence'>

/** Why trials that Assay ran are unscored. */
const NO_GRADER = 'as their cases have no grader'

/**
 * Why results of other programs are unscored: the verdict or the score is empty, or the file says that there is none.
 */
const NO_VERDICT = 'as no verdict on them is given'

/** Why trials have no result, in words. */
export interface MissingWords {
  readonly unscored: string
  readonly cancelled: string
}

/**
 * Returns why trials have no result. `origin` names the files of other programs. It is null if the results are Assay's
 * own. If a complete run lacks trials, they did run, and the log has lost them.
 */
export const whyMissing = ({
  origin,
  stopped,
}: {
  readonly origin?: string | null
  readonly stopped?: string | null
}): MissingWords => ({
  unscored: origin == null ? NO_GRADER : NO_VERDICT,
  cancelled: stopped === 'complete' ? 'lost from the log' : 'did not run',
})

export function reportSentence(
  suites: readonly Found[],
  subjects: readonly SubjectReport[],
  name: NameFormat = plainName,
  why: MissingWords = whyMissing({}),
): string {
  const [only] = suites
  if (only === undefined) return 'Nothing was planned, so there is nothing to report.'
  const rowsOf = ({ suite }: Found) => subjects.filter((row) => row.suite === suite)
  if (suites.length === 1) return suiteSentence(only, rowsOf(only), name, why)
  const told = suites
    .slice(0, MOST_SUITES)
    .map((one) => `On ${name(one.suite)}: ${suiteSentence(one, rowsOf(one), name, why)}`)
  const more = suites.length - told.length
  if (more > 0)
    told.push(`${counted(more, 'further suite has', 'further suites have')} a sentence below.`)
  return told.join(' ')
}

export function suiteSentence(
  found: Found,
  given: readonly SubjectReport[],
  name: NameFormat = plainName,
  why: MissingWords = whyMissing({}),
): string {
  const place = (row: SubjectReport): number => found.order.indexOf(row.subject)
  const rows = given.toSorted((a, b) => place(a) - place(b))
  const said = [verdictWords(found, rows, name, why), ...missingWords(rows, why)]
  return `${sourceWords(rows)}${said.filter((text) => text !== '').join(' ')}`
}

/**
 * Returns the first words of the sentence if answers are not live, so that no reader mistakes them for live answers.
 */
function sourceWords(rows: readonly SubjectReport[]): string {
  for (const [source, word] of [
    ['simulated', 'simulated'],
    ['replay', 'replayed'],
  ] as const) {
    const of = rows.filter((row) => row.source === source).length
    if (of > 0)
      return of === rows.length
        ? `${word[0]?.toUpperCase()}${word.slice(1)} answers: `
        : `Partly ${word} answers: `
  }
  return ''
}

/** Says how many planned trials have no result. Empty if nothing was scored, because the verdict already says that. */
function missingWords(rows: readonly SubjectReport[], why: MissingWords): string[] {
  const total = totalOf(rows)
  const { planned, passed, failed } = total
  const missing = planned - passed - failed
  if (missing === 0 || missing === planned) return []
  return [
    `${count(missing)} of ${counted(planned, 'planned trial has', 'planned trials have')} no result: ${reasonsOf(total, why)}.`,
  ]
}

const totalOf = (rows: readonly SubjectReport[]): SubjectReport['counts'] =>
  rows.reduce(
    (sum, { counts }) => ({
      planned: sum.planned + counts.planned,
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      unscored: sum.unscored + counts.unscored,
      errored: sum.errored + counts.errored,
      cancelled: sum.cancelled + counts.cancelled,
    }),
    { planned: 0, passed: 0, failed: 0, unscored: 0, errored: 0, cancelled: 0 },
  )

const reasonsOf = (
  { unscored, errored, cancelled }: SubjectReport['counts'],
  why: MissingWords,
): string =>
  [
    ...(errored > 0 ? [`${count(errored)} errored`] : []),
    ...(cancelled > 0 ? [`${count(cancelled)} ${why.cancelled}`] : []),
    ...(unscored > 0 ? [`${count(unscored)} unscored, ${why.unscored}`] : []),
  ].join(', ')

/** Joins sentences and leaves out empty ones. */
const sentences = (all: readonly string[]): string => all.filter((one) => one !== '').join(' ')

function verdictWords(
  found: Found,
  rows: readonly SubjectReport[],
  name: NameFormat,
  why: MissingWords,
): string {
  const { verdict, best, against } = found
  const first = rows.find(({ subject }) => subject === best)
  if (verdict === 'nothing' || first === undefined) {
    const who = listed(rows.map(({ subject }) => name(subject)))
    return `Nothing can be said about ${who}: no trial was scored (${reasonsOf(totalOf(rows), why)}).`
  }
  const unscored = rows
    .filter(({ cases }) => cases.every(({ n }) => n === 0))
    .map(({ subject }) => name(subject))
  const alone = unscored.length === 0 ? [] : [`Nothing of ${listed(unscored)} was scored.`]
  if (verdict === 'one subject')
    return sentences([...oneSubject(first, rows.length, name), ...alone])
  const apart = against
    .filter(({ decision }) => decision === 'not comparable')
    .map(({ subject }) => name(subject))
  if (apart.length > 0)
    alone.push(
      `${listed(apart)} ${apart.length === 1 ? 'shares' : 'share'} no scored case with ${name(first.subject)}.`,
    )
  const rivals = against.filter(({ decision }) => decision !== 'not comparable')
  const [rival] = rivals
  if (rival === undefined)
    return [
      `${name(first.subject)} passes ${rateText(first.passRate.value)}, and it cannot be compared.`,
      ...alone,
    ].join(' ')
  const told = { found, first, rows, name }
  const said =
    rivals.length === 1 && against.length === 1 ? pairWords(rival, told) : manyWords(rivals, told)
  return sentences([...said, ...alone])
}

// ── One subject ──────────────────────────────────────────────────────────────────────────────────────

function oneSubject(row: SubjectReport, of: number, name: NameFormat): string[] {
  const scored = row.cases.filter(({ n }) => n > 0)
  const [only] = scored
  const isOne = scored.length === 1 && only !== undefined
  const { value, interval } = isOne ? row.fixed.passRate : row.passRate
  const range =
    interval === undefined
      ? ''
      : `95 % interval ${percent(interval.low)} to ${percent(interval.high ?? 1)}, `
  return [
    isOne
      ? `${name(row.subject)} passed ${only.c} of ${counted(only.n, 'trial')} of the one case ${name(only.case)}: ${rateText(value)} (${range}for this case tried again).`
      : `${name(row.subject)} passes ${rateText(value)} of its trials (${range}for cases like these; ${scopeOf(scored)}).`,
    costOf([row], name),
    ...(isOne ? [ONE_CASE] : []),
    ...(of === 1 ? ['With one subject there is nothing to compare it with.'] : []),
  ]
}

const ONE_CASE =
  'One case shows how often that case passes and nothing about other cases: only more cases would show that.'

function scopeOf(cases: readonly SubjectReport['cases'][number][]): string {
  const groups = groupsIn(cases)
  return `${counted(cases.length, 'case')}${groups === 0 ? '' : ` in ${counted(groups, 'group')}`}`
}

const groupsIn = (cases: readonly SubjectReport['cases'][number][]): number =>
  new Set(cases.flatMap(({ group }) => (group === undefined ? [] : [group]))).size

// ── Two subjects ─────────────────────────────────────────────────────────────────────────────────────

interface Told {
  readonly found: Found
  readonly first: SubjectReport
  readonly rows: readonly SubjectReport[]
  readonly name: NameFormat
}

function pairWords(rival: Rival, told: Told): string[] {
  const { found, first, rows, name } = told
  const [a, b] = [name(first.subject), name(rival.subject)]
  const both = rows.filter(({ subject }) => [first.subject, rival.subject].includes(subject))
  const rates = `${rateText(rival.bestRate)} against ${rateText(rival.rate)}`
  const scope = sharedWords(rival, both)
  const { population, fixed } = rival
  const more = `${pointsText(population.value ?? 0)} more`
  const cost = costOf(both, name)
  if (rival.shared === 1 && rival.compared === undefined)
    return [...oneCaseWords(rival, told, rates), cost, ONE_CASE]
  switch (rival.decision) {
    case 'worse':
      return [
        `${a} is better than ${b}: it passes ${rates}, ${more} (${intervalWords(population)} for cases like these, ${pWords(population)}; ${scope}).`,
        cost,
      ]
    case 'worse here':
      return [
        `${a} is better than ${b} on exactly these cases: it passes ${rates}, ${more} (${intervalWords(fixed)}, ${pWords(fixed)}; ${scope}). For cases like these it is not decided (${intervalWords(population)}${pOf(population)}${tooFew(rival)}).`,
        neededWords(found, rival, name),
        cost,
      ]
    case 'equal':
      return [
        `${a} and ${b} are equal within ${pointsText(found.margin)}: they pass ${rates} (difference ${differenceText(population.value ?? 0)}, ${intervalWords(population)} for cases like these; ${scope}).`,
        cost,
        cheaper(both, name),
      ]
    default: {
      const evidence = bounds(rival)
      const seen = isTie(rival) ? `both pass ${rateText(rival.rate)}` : `pass ${rates}`
      return [
        evidence === null
          ? `Not decided: ${a} and ${b} ${seen}, and nothing bounds the difference (${scope}).`
          : `Not decided: ${a} and ${b} ${seen}, and any difference from ${evidence} fits (95 % interval${population.interval === undefined ? '' : ' for cases like these'}${pOf(population)}; ${scope}${tooFew(rival)}).`,
        neededWords(found, rival, name),
        cost,
      ]
    }
  }
}

const isTie = ({ population }: Rival): boolean => Math.abs(population.value ?? 0) < 1e-9

/** Says why an interval that excludes zero decides nothing: there are too few cases or groups. */
function tooFew({ population: { interval }, groups, shared, compared }: Rival): string {
  if (interval === undefined || interval.low <= 0) return ''
  const cases = compared === undefined ? shared : shared + Math.min(compared.onlyA, compared.onlyB)
  return groups === undefined
    ? `; ${counted(cases, 'case')} are too few to tell`
    : `; ${counted(groups, 'group')} are too few to tell`
}

const pOf = (metric: Rival['population']): string =>
  metric.p === undefined ? '' : `, ${pWords(metric)}`

/** Formats the interval of the difference. Null if there is none. */
function bounds({ population, fixed }: Rival): string | null {
  const { interval } = population.interval === undefined ? fixed : population
  return interval === undefined
    ? null
    : `${differenceText(interval.low)} to ${differenceText(interval.high ?? 1)}`
}

function oneCaseWords(rival: Rival, { found, first, name }: Told, rates: string): string[] {
  const { fixed } = rival
  const only = first.cases.find(({ n }) => n > 0)
  const on = `On the one case ${name(only?.case ?? '')}`
  const who = `${name(first.subject)} and ${name(rival.subject)} pass ${rates}`
  if (fixed.interval === undefined)
    return [
      `${on}, ${who}. Not decided: one trial does not show how much chance is in it.`,
      neededWords(found, rival, name),
    ]
  const evidence = `(${intervalWords(fixed)} for this case tried again, ${pWords(fixed)})`
  return rival.decision === 'worse here'
    ? [
        `${on}, ${name(first.subject)} is better than ${name(rival.subject)}: it passes ${rates}, ${pointsText(fixed.value ?? 0)} more ${evidence}.`,
      ]
    : [`${on}, it is not decided: ${who} ${evidence}.`, neededWords(found, rival, name)]
}

/** Says on how many cases the comparison is based, and whether that is all of them. */
function sharedWords(rival: Rival, both: readonly SubjectReport[]): string {
  if (rival.compared !== undefined) return independentWords(rival.compared, both)
  const all = Math.max(...both.map(({ cases }) => cases.length))
  const groups = rival.groups === undefined ? '' : ` in ${counted(rival.groups, 'group')}`
  return rival.shared < all
    ? `the ${rival.shared} of ${counted(all, 'case')} on which both were scored${groups}`
    : `${counted(rival.shared, 'case')}${groups}`
}

/** Says that the two subjects share few cases. `both` begins with the best subject. */
function independentWords(
  { shared, onlyA, onlyB }: NonNullable<Rival['compared']>,
  both: readonly SubjectReport[],
): string {
  const groups = both.map(({ cases }) => groupsIn(cases.filter(({ n }) => n > 0)))
  const inGroups = groups.includes(0) ? '' : ` in ${groups.join(' and ')} groups`
  return `as independent groups: they share ${shared === 0 ? 'none' : count(shared)} of ${count(shared + onlyA)} and ${counted(shared + onlyB, 'case')}${inGroups}`
}

// ── Many subjects ────────────────────────────────────────────────────────────────────────────────────

function manyWords(rivals: readonly Rival[], told: Told): string[] {
  const { found, first, rows, name } = told
  const all = rows.length
  const [a, rate] = [name(first.subject), rateText(first.passRate.value)]
  const alike = rivals.filter(({ decision }) => decision !== 'worse')
  const worse = rivals.filter(({ decision }) => decision === 'worse')
  const withRate = ({ subject, rate: its }: Rival): string => `${name(subject)} (${rateText(its)})`
  const closest = alike[0] ?? worse[0]
  const evidence = closest === undefined ? '' : closestWords(closest, told, alike.length === 1)
  const shown = rows.filter(({ subject }) =>
    [
      first.subject,
      ...(alike.length > 0 ? alike : worse).slice(0, 2).map((one) => one.subject),
    ].includes(subject),
  )
  const cost = costOf(shown, name)
  if (alike.length === 0)
    return [
      `${a} is the best of ${all} subjects: it passes ${rate}, and each of the others less.`,
      evidence,
      cost,
    ]
  if (found.verdict === 'equal')
    return [
      `${a} (${rate}) and ${listed(alike.map(withRate))} are equal within ${pointsText(found.margin)}.`,
      evidence,
      cost,
      cheaper(shown, name),
    ]
  const others = worse.length === 0 ? '' : ` It is better than ${listed(worse.map(withRate))}.`
  const needed = neededWords(found, alike[0], name, 'these two')
  if (found.verdict === 'better here')
    return [
      `On exactly these cases ${a} is the best of ${all} subjects: it passes ${rate}, and each of the others less. For cases like these, ${listed(alike.map(withRate))} cannot be distinguished from it.${others}`,
      evidence,
      needed,
      cost,
    ]
  return [
    worse.length === 0
      ? `Not decided which of ${all} subjects is best: ${a} passes ${rate}, and ${listed(alike.map(withRate))} could be as good.`
      : `${a} leads ${all} subjects with ${rate}.${others} Not decided: whether it is better than ${listed(alike.map(withRate))}.`,
    evidence,
    needed,
    cost,
  ]
}

/**
 * Says how far the closest subject is behind, with the interval that takes all pairs into account. If `isClear`, only
 * one subject can be meant, so its name is not repeated.
 */
function closestWords(rival: Rival, { first, rows, name }: Told, isClear: boolean): string {
  const both = rows.filter(({ subject }) => [first.subject, rival.subject].includes(subject))
  const { together, population } = rival
  if (together === null) return ''
  const about =
    together.target === 'population' ? 'for cases like these' : 'for exactly these cases'
  const points = pointsText(population.value ?? 0)
  const behind = isClear
    ? isTie(rival)
      ? 'The two pass equally often'
      : `The two differ by ${points}`
    : `${name(rival.subject)} is closest, ${isTie(rival) ? 'level with it' : `${points} behind`}`
  return `${behind} (simultaneous 95 % interval ${differenceText(together.low)} to ${differenceText(together.high)} ${about}, all ${together.comparisons} pairs counted; ${sharedWords(rival, both)}).`
}
