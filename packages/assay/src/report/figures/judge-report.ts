/**
 * How far judges can be trusted: whether several judges agree beyond chance, and whether one judged its own
 * answers. Scores and marks are numbers in [0, 1]. Krippendorff's alpha on the interval scale suits graded
 * marks as well as met-or-not verdicts (with two values, the interval and nominal scales are the same).
 */
import {
  cohenKappa,
  krippendorffAlphaEstimate,
  mean,
  type Metric,
  type Ratings,
} from '@assay/metrics'
import { type Grade, isJudgeGrade, type Json, type Trial } from '@assay/contract'
import type { SubjectRecord } from '../../log/index.ts'
import { counted, dollars } from '../../text/index.ts'
import type { JudgesReport, OwnAnswers } from '../schema/judge-schema.ts'
import type { ReportMetric } from '../schema/metric-schema.ts'
import { reported } from '../schema/to-metric.ts'

/** (999 + 1) · 0.025 is a whole number, as percentile intervals need. 999 is enough for two digits. */
const RESAMPLES = 999
/** With more trials than this the interval is too narrow to matter, and resampling takes long. */
const MOST_RESAMPLED = 5000

/** Collects the judges' grades, trial by trial. A later line of the same trial replaces the earlier one. */
export class JudgedTrials {
  readonly #byOrdinal = new Map<number, { suite: string; grades: readonly Grade[] }>()
  #nanos = 0

  add(ordinal: number, { suite, grades, cost }: Trial): void {
    this.#nanos += Math.round((cost.judgeUsd ?? 0) * 1e9)
    const judged = grades.filter(isJudgeGrade)
    if (judged.length > 0) this.#byOrdinal.set(ordinal, { suite, grades: judged })
    else this.#byOrdinal.delete(ordinal)
  }

  /** The known cost of all judge requests, including those of replaced lines. */
  get usd(): number {
    return this.#nanos / 1e9
  }

  /** Returns one report per suite and judge grader. The order of the lines does not matter. */
  report(seed: number): JudgesReport[] {
    const groups = new Map<string, { suite: string; grader: string; items: Grade[] }>()
    for (const [, { suite, grades }] of [...this.#byOrdinal].sort(([a], [b]) => a - b))
      for (const grade of grades) {
        const key = JSON.stringify([suite, grade.name])
        const group = groups.get(key) ?? { suite, grader: grade.name, items: [] }
        groups.set(key, group)
        group.items.push(grade)
      }
    return [...groups.values()].map(({ suite, grader, items }) => {
      const judges = [...new Set(items.flatMap(({ details = [] }) => details.map(nameOf)))].sort()
      return {
        suite,
        grader,
        judges: judges.map((judge) => about(judge, items)),
        agreement: judges.length < 2 ? null : agreement(judges, items, seed),
      }
    })
  }
}

const nameOf = ({ name }: Grade): string => name

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
  }
}

function agreement(
  judges: readonly string[],
  items: readonly Grade[],
  seed: number,
): NonNullable<JudgesReport['agreement']> {
  const criteria = new Set(
    items.flatMap(({ details = [] }) => details.flatMap((one) => (one.details ?? []).map(nameOf))),
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
      seed,
    ),
    kappa: judges.flatMap((a, i) =>
      judges.slice(i + 1).map((b) => ({ a, b, metric: kappaOf(a, b, items) })),
    ),
    criteria: [...criteria].map((criterion) => ({
      criterion,
      alpha: alphaOf(
        scoresBy(({ details = [] }) => details.find(({ name }) => name === criterion)?.score),
        seed,
      ),
    })),
  }
}

function alphaOf(ratings: Ratings, seed: number): ReportMetric {
  const rated = (ratings[0] ?? []).map((_, item) =>
    ratings.reduce((sum, row) => sum + ((row[item] ?? null) === null ? 0 : 1), 0),
  )
  const n = rated.filter((count) => count > 1).length
  if (n === 0) return { value: null, n, reason: 'no trial was judged by two' }
  const resamples = n > MOST_RESAMPLED ? 1 : RESAMPLES
  const estimate = krippendorffAlphaEstimate(ratings, 'interval', { seed, resamples })
  if (estimate.value === null)
    return { value: null, n, reason: 'all marks are the same: there is nothing to agree about' }
  const interval = n > MOST_RESAMPLED ? null : (estimate.bca ?? estimate.percentile)
  const metric: Metric = {
    value: estimate.value,
    n,
    ...(interval === null
      ? { reason: estimate.reason ?? 'too many trials to resample them' }
      : { interval }),
  }
  return reported(metric)
}

function kappaOf(a: string, b: string, items: readonly Grade[]): ReportMetric {
  const pairs = items.flatMap((item) => {
    const [x, y] = [by(a, item)?.passed ?? null, by(b, item)?.passed ?? null]
    return x === null || y === null ? [] : [[x ? 1 : 0, y ? 1 : 0] as const]
  })
  if (pairs.length === 0) return { value: null, n: 0, reason: 'no trial was judged by both' }
  return reported(
    cohenKappa(
      pairs.map(([x]) => x),
      pairs.map(([, y]) => y),
    ),
  )
}

/** Returns the judges that judged their own answers, according to the record of judges and subjects. */
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
 * Identifies what finally produces the answers, such as a model; null if unknown. Parameters and timeouts do
 * not make it a different model.
 */
function whoIs(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null
  const { provider, model, command, subject } = config as Readonly<Record<string, Json>>
  if (typeof provider === 'string' && typeof model === 'string') return `${provider}/${model}`
  if (command !== undefined) return JSON.stringify(command)
  // A recording names the subject that it recorded. A subject with its own timeout wraps another one.
  return typeof subject === 'string' ? subject : subject === undefined ? null : whoIs(subject)
}

/** Returns notes for readers, one sentence each. */
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
    ...judging.flatMap(({ suite, grader, judges, agreement: agreed }) =>
      agreed === null
        ? []
        : [
            `${grader} of ${suite}: ${judges.map(({ judge, meanScore }) => `${judge} ${figure(meanScore)}`).join(', ')}; agreement of scores: alpha ${shown(agreed.alpha)}; of verdicts: ${agreed.kappa.map(({ a, b, metric }) => `kappa ${shown(metric)}${agreed.kappa.length === 1 ? '' : ` (${a}, ${b})`}`).join(', ')} (1 is full agreement, 0 what chance would bring)`,
          ],
    ),
  ]
}

/** Two decimals, with a real minus sign. */
const figure = (value: number | null): string =>
  value === null ? '–' : value.toFixed(2).replace('-', '−')

function shown({ value, interval, n, reason }: ReportMetric): string {
  const over = `over ${counted(n, 'trial')}`
  if (value === null) return `– ${over}, as ${reason ?? 'it is not defined'}`
  const range =
    interval === undefined ? '' : ` (${figure(interval.low)} to ${figure(interval.high)})`
  return `${figure(value)}${range} ${over}`
}
