/**
 * Computes how far judges can be trusted: whether several judges agree more than by chance, and whether a judge graded
 * its own answers. Agreement is Krippendorff's alpha on the interval scale, because scores and marks are numbers in [0,
 * 1]. Alpha also suits criteria that are only met or not met: with two values, the interval scale and the nominal scale
 * give the same alpha.
 */
import {
  cohenKappa,
  DEFAULT_LEVEL,
  krippendorffAlphaEstimate,
  mean,
  type Metric,
  type Ratings,
} from '@assay/metrics'
import { type Grade, isJudgeGrade, JUDGE_RUN, type Json, type Trial } from '@assay/contract'
import { judgeRunFacts } from './judge-report-facts.ts'
import type { SubjectRecord } from '../../log/index.ts'
import { counted, dollars } from '../../text/index.ts'
import type { JudgesReport, OwnAnswers } from '../schema/judge-schema.ts'
import type { ReportMetric } from '../schema/metric-schema.ts'
import { reported } from '../schema/to-metric.ts'

/**
 * The number of bootstrap resamples. For a 95 % percentile interval, (resamples + 1) · 0.025 must be a whole number.
 * 999 resamples are enough for two digits.
 */
const RESAMPLES = 999
/**
 * With more trials than this, no interval is computed. It would be too narrow to matter, and resampling would take too
 * long.
 */
const MOST_RESAMPLED = 5000

/** Collects the grades of judges, trial by trial. If the log has several lines for a trial, the last one counts. */
export class JudgedTrials {
  readonly #byOrdinal = new Map<number, { suite: string; case: string; grades: readonly Grade[] }>()
  readonly #groupOf: (suite: string, one: string) => string | undefined
  #nanos = 0

  /** `groupOf` returns the group of a case, or undefined if the case has none. */
  constructor(groupOf: (suite: string, one: string) => string | undefined = () => undefined) {
    this.#groupOf = groupOf
  }

  add(
    ordinal: number,
    { suite, case: caseId, grades, cost }: Pick<Trial, 'suite' | 'case' | 'grades' | 'cost'>,
  ): void {
    this.#nanos += Math.round((cost.judgeUsd ?? 0) * 1e9)
    const judged = grades.filter(isJudgeGrade)
    if (judged.length > 0) this.#byOrdinal.set(ordinal, { suite, case: caseId, grades: judged })
    else this.#byOrdinal.delete(ordinal)
  }

  /** The known cost of all requests to judges. It includes requests for log lines that were replaced later. */
  get usd(): number {
    return this.#nanos / 1e9
  }

  /** Returns one report for each suite and judge grader. The order of the lines in the log does not matter. */
  report(seed: number): JudgesReport[] {
    const groups = new Map<
      string,
      { suite: string; grader: string; items: Grade[]; cases: string[] }
    >()
    for (const [, { suite, case: caseId, grades }] of [...this.#byOrdinal].sort(
      ([a], [b]) => a - b,
    ))
      for (const grade of grades) {
        const key = JSON.stringify([suite, grade.name])
        const group = groups.get(key) ?? { suite, grader: grade.name, items: [], cases: [] }
        groups.set(key, group)
        group.items.push(grade)
        const own = this.#groupOf(suite, caseId)
        group.cases.push(own === undefined ? `case ${caseId}` : `group ${own}`)
      }
    return [...groups.values()].map(({ suite, grader, items, cases }) => {
      const judges = [...new Set(items.flatMap(({ details = [] }) => details.map(nameOf)))].sort()
      return {
        suite,
        grader,
        judges: judges.map((judge) => about(judge, items)),
        agreement: judges.length < 2 ? null : agreement(judges, { items, cases }, seed),
      }
    })
  }
}

const nameOf = ({ name }: Grade): string => name

/**
 * Returns the criteria in the details of a judge's grade. The details may also contain the single runs of the judge.
 */
const criteriaOf = ({ details = [] }: Grade): Grade[] =>
  details.filter(({ type }) => type !== JUDGE_RUN)

const by = (judge: string, { details = [] }: Grade): Grade | undefined =>
  details.find(({ name }) => name === judge)

function about(judge: string, items: readonly Grade[]): JudgesReport['judges'][number] {
  const own = items.flatMap((item) => by(judge, item) ?? [])
  const scores = own.flatMap(({ score }) => score ?? [])
  return {
    judge,
    n: own.length,
    meanScore: scores.length === 0 ? null : mean(scores),
    passed: own.filter(({ passed }) => passed === true).length,
    ...runsIn(own),
  }
}

type RunCounts = Pick<
  JudgesReport['judges'][number],
  'runs' | 'askedAgain' | 'disagree' | 'unstated'
>

/**
 * Counts the runs of a judge, and how often they disagree. Only answers on which the judge ran more than once count.
 */
function runsIn(own: readonly Grade[]): RunCounts {
  const facts = own.map((grade) => judgeRunFacts(grade)).filter((one) => one !== null)
  if (facts.length === 0) return {}
  const sum = (pick: (one: (typeof facts)[number]) => number): number =>
    facts.reduce((total, one) => total + pick(one), 0)
  return {
    runs: sum(({ runs }) => runs),
    askedAgain: sum(({ runs, planned }) => (runs > planned ? 1 : 0)),
    disagree: sum(({ disagree }) => (disagree ? 1 : 0)),
    unstated: sum(({ unstated }) => unstated),
  }
}

/** The grades of one grader, one per trial. For each trial, it also has the name of its case or group of cases. */
interface Judged {
  readonly items: readonly Grade[]
  readonly cases: readonly string[]
}

function agreement(
  judges: readonly string[],
  { items, cases }: Judged,
  seed: number,
): NonNullable<JudgesReport['agreement']> {
  const criteria = new Set(
    items.flatMap(({ details = [] }) => details.flatMap((one) => criteriaOf(one).map(nameOf))),
  )
  const scoresBy = (pick: (own: Grade) => number | null | undefined): Ratings =>
    judges.map((judge) =>
      items.map((item) => {
        const own = by(judge, item)
        return own === undefined ? null : (pick(own) ?? null)
      }),
    )
  return {
    alpha: alphaOf(
      scoresBy(({ score }) => score),
      cases,
      seed,
    ),
    kappa: judges.flatMap((a, i) =>
      judges.slice(i + 1).map((b) => ({ a, b, metric: kappaOf(a, b, items, cases) })),
    ),
    withOthers: judges.map((judge) => ({
      judge,
      alpha: alphaOf(withOthers(judge, items), cases, seed),
    })),
    criteria: [...criteria].map((criterion) => ({
      criterion,
      alpha: alphaOf(
        scoresBy((own) => criteriaOf(own).find(({ name }) => name === criterion)?.score),
        cases,
        seed,
      ),
    })),
  }
}

/** Returns, for each trial, the judge's score and the mean score of the other judges. */
function withOthers(judge: string, items: readonly Grade[]): Ratings {
  const own = items.map((item) => by(judge, item)?.score ?? null)
  const others = items.map(({ details = [] }) => {
    const scores = details.flatMap(({ name, score }) => (name === judge ? [] : (score ?? [])))
    return scores.length === 0 ? null : mean(scores)
  })
  return [own, others]
}

/**
 * Computes Krippendorff's alpha with its interval. Trials of the same case get similar grades, so they are not
 * independent. The interval therefore resamples cases, not trials.
 */
function alphaOf(ratings: Ratings, cases: readonly string[], seed: number): ReportMetric {
  const rated = (ratings[0] ?? []).map((_, item) =>
    ratings.reduce((sum, row) => sum + ((row[item] ?? null) === null ? 0 : 1), 0),
  )
  const n = rated.filter((count) => count > 1).length
  if (n === 0) return { value: null, n, reason: 'no trial was judged by two' }
  const resamples = n > MOST_RESAMPLED ? 1 : RESAMPLES
  const estimate = krippendorffAlphaEstimate(ratings, 'interval', {
    seed,
    resamples,
    groups: cases,
  })
  if (estimate.value === null)
    return { value: null, n, reason: 'all marks are the same: there is nothing to agree about' }
  const interval = n > MOST_RESAMPLED ? null : estimate.interval
  const metric: Metric = {
    value: estimate.value,
    n,
    ...unitsOf(cases, rated),
    ...(estimate.standardError === null ? {} : { se: estimate.standardError }),
    ...(interval === null ? { reason: noInterval(cases, estimate.reason) } : { interval }),
  }
  return reported(metric)
}

/**
 * Counts the cases or groups of the trials that have at least two ratings. `groups` is set if some of these trials
 * share a case or group.
 */
function unitsOf(
  cases: readonly string[],
  rated: readonly number[],
): Pick<Metric, 'groups' | 'effectiveN'> {
  const used = cases.filter((_, i) => (rated[i] ?? 0) > 1)
  const units = new Set(used).size
  return { effectiveN: units, ...(units < used.length ? { groups: units } : {}) }
}

const noInterval = (cases: readonly string[], reason: string | undefined): string =>
  new Set(cases).size === 1
    ? 'one case or group says nothing about others: no interval'
    : (reason ?? 'too many trials to resample them')

function kappaOf(
  a: string,
  b: string,
  items: readonly Grade[],
  cases: readonly string[],
): ReportMetric {
  const pairs = items.flatMap((item, i) => {
    const [x, y] = [by(a, item)?.passed ?? null, by(b, item)?.passed ?? null]
    return x === null || y === null ? [] : [[x ? 1 : 0, y ? 1 : 0, cases[i] as string] as const]
  })
  if (pairs.length === 0) return { value: null, n: 0, reason: 'no trial was judged by both' }
  return reported(
    cohenKappa(
      pairs.map(([x]) => x),
      pairs.map(([, y]) => y),
      'none',
      DEFAULT_LEVEL,
      pairs.map(([, , unit]) => unit),
    ),
  )
}

/** Returns the judges that graded their own answers. It compares the judges in the run's record with its subjects. */
export function ownAnswers(
  judges: readonly SubjectRecord[],
  subjects: readonly SubjectRecord[],
): OwnAnswers {
  return judges.flatMap((judge) =>
    subjects
      .filter((subject) => isSame(whoIs(judge.config), whoIs(subject.config)))
      .map((subject) => ({ judge: judge.id, subject: subject.id })),
  )
}

const isSame = (a: string | null, b: string | null): boolean => a !== null && a === b

/**
 * Returns a text that identifies the model or program that produces the answers. Null if it is unknown. Parameters and
 * timeouts are left out, because it is the same model with other parameters.
 */
function whoIs(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null
  const { provider, model, command, subject, agent } = config as Readonly<Record<string, Json>>
  if (typeof agent === 'string') return `agent ${agent} ${JSON.stringify(model ?? null)}`
  if (typeof provider === 'string' && typeof model === 'string') return `${provider}/${model}`
  if (command !== undefined) return JSON.stringify(command)
  // For recorded answers, `subject` is the name of the subject that was recorded. For a subject with its own timeout,
  // `subject` is the configuration of the subject that it wraps.
  return typeof subject === 'string' ? subject : subject === undefined ? null : whoIs(subject)
}

/** Returns notes about the judges for readers of the report, one sentence each. */
export function judgeNotes(
  judging: readonly JudgesReport[],
  own: OwnAnswers,
  usd: number,
): string[] {
  return [
    ...(usd === 0 ? [] : [`judges cost ${dollars(usd)}, which is in no cost of a subject`]),
    ...own.map(({ judge, subject }) =>
      judge === subject
        ? `${judge} judged its own answers: such marks tend to be too high`
        : `${judge} judged the answers of ${subject}, which is the same model or program: such marks tend to be too high`,
    ),
    ...judging.flatMap(({ suite, grader, judges }) =>
      judges.flatMap((one) => runNote(one, `${grader} of ${suite}`) ?? []),
    ),
    ...judging.flatMap(({ suite, grader, judges, agreement: agreed }) =>
      agreed === null
        ? []
        : [
            `${grader} of ${suite}: ${judges.map(({ judge, meanScore }) => `${judge} ${figure(meanScore)}`).join(', ')}; agreement of scores: alpha ${shown(agreed.alpha)}; of verdicts: ${agreed.kappa.map(({ a, b, metric }) => `kappa ${shown(metric)}${agreed.kappa.length === 1 ? '' : ` (${a}, ${b})`}`).join(', ')} (1 is full agreement, 0 what chance would bring)`,
          ],
    ),
  ]
}

/** Says how often a judge ran on each answer, and whether its runs agreed. Null if it ran once per answer. */
function runNote(
  { judge, n, runs, askedAgain = 0, disagree = 0, unstated = 0 }: JudgesReport['judges'][number],
  where: string,
): string | null {
  if (runs === undefined) return null
  const again =
    askedAgain === 0
      ? ''
      : `; asked again for ${counted(askedAgain, 'trial')}, as its runs disagreed`
  const still =
    disagree === 0 ? '' : `; its runs on ${counted(disagree, 'trial')} disagree to the end`
  const silent =
    unstated === 0
      ? ''
      : `; ${counted(unstated, 'run states', 'runs state')} no confidence and ${unstated === 1 ? 'counts' : 'count'} as certain`
  return `${where}: the score of ${judge} is the consensus of ${runs} runs on ${counted(n, 'trial')}${again}${still}${silent}`
}

/** Formats a number with two decimals and a real minus sign. */
const figure = (value: number | null): string =>
  value === null ? '–' : value.toFixed(2).replace('-', '−')

function shown({ value, interval, n, reason }: ReportMetric): string {
  const over = `over ${counted(n, 'trial')}`
  if (value === null) return `– ${over}, as ${reason ?? 'it is not defined'}`
  const range =
    interval === undefined ? '' : ` (${figure(interval.low)} to ${figure(interval.high)})`
  return `${figure(value)}${range} ${over}`
}
