/**
 * Computes the figures of a review: how far two people agree, how often a judge disagrees with a person, and the pass
 * rate corrected for the judge's errors (Rogan and Gladen, in @assay/metrics). The labels of each person are kept
 * separate.
 *
 * A corrected rate uses only labels of trials that were chosen at random. If a person labels mainly trials that the
 * judge failed, the labels do not show how often the judge passes a wrong answer. The errors of a judge are estimated
 * over all subjects of a suite together. If they differ between subjects, the page says so.
 */
import { cohenKappa, homogeneityTest, wilson, type CaseCounts, type Metric } from '@assay/metrics'
import type { Label } from '@assay/contract'
import { correctedRate, type Corrected, type JudgeErrors } from './corrected-rate.ts'
import type { Observed, ReviewData, ReviewedLabel } from './review-data.ts'
import { raterKey, type Rater } from './verdicts.ts'

/** Counts of the person's verdict and the judge's verdict, over the trials that both decided. */
export interface Confusion {
  readonly bothPass: number
  /** The number of answers that the person passed and the judge failed. */
  readonly onlyPerson: number
  /** The number of answers that the judge passed and the person failed. */
  readonly onlyJudge: number
  readonly bothFail: number
}

export interface SubjectCorrection {
  readonly subject: string
  /** The rater's verdicts on all trials of the subject. */
  readonly observed: CaseCounts
  /** The person's verdicts on those trials of the subject that were chosen at random. Null if there are none. */
  readonly byLabels: (CaseCounts & { readonly low: number; readonly high: number }) | null
  readonly corrected: Corrected
}

export interface RaterFigures extends Rater {
  readonly suite: string
  readonly confusion: Confusion
  readonly kappa: Metric | null
  /** The number of labels from which the judge's errors were estimated. */
  readonly basis: number
  readonly subjects: readonly SubjectCorrection[]
  readonly notes: readonly string[]
}

export interface ReviewerFigures {
  readonly reviewer: string
  readonly pass: number
  readonly fail: number
  readonly unsure: number
  /** The number of labels whose answer has been replaced since. These labels do not count in any figure. */
  readonly outdated: number
  readonly blind: number
  /**
   * The number of labels on trials that the person chose. They are in the tables, but they are not used for corrected
   * rates.
   */
  readonly chosen: number
  readonly raters: readonly RaterFigures[]
}

export interface Agreement {
  readonly a: string
  readonly b: string
  readonly n: number
  readonly same: number
  readonly kappa: Metric | null
}

export interface ReviewFigures {
  readonly reviewers: readonly ReviewerFigures[]
  readonly agreement: readonly Agreement[]
}

export function reviewFigures({
  labels,
  observed,
}: Pick<ReviewData, 'labels' | 'observed'>): ReviewFigures {
  const people = [...new Set(labels.map(({ label }) => label.reviewer))].toSorted()
  return {
    reviewers: people.map((reviewer) =>
      reviewerFigures(
        reviewer,
        labels.filter(({ label }) => label.reviewer === reviewer),
        observed,
      ),
    ),
    agreement: people.flatMap((a, i) => people.slice(i + 1).map((b) => agreementOf(a, b, labels))),
  }
}

const isDecided = ({ label, isCurrent }: ReviewedLabel): boolean =>
  isCurrent && (label.verdict === 'pass' || label.verdict === 'fail')

function reviewerFigures(
  reviewer: string,
  own: readonly ReviewedLabel[],
  observed: readonly Observed[],
): ReviewerFigures {
  const current = own.filter(({ isCurrent }) => isCurrent)
  const counted = (meets: (label: Label) => boolean): number =>
    current.filter(({ label }) => meets(label)).length
  const decided = own.filter(isDecided)
  const suites = [...new Set(observed.map(({ suite }) => suite))]
  return {
    reviewer,
    pass: counted(({ verdict }) => verdict === 'pass'),
    fail: counted(({ verdict }) => verdict === 'fail'),
    unsure: counted(({ verdict }) => verdict === 'unsure'),
    outdated: own.length - current.length,
    blind: counted(({ blind }) => blind),
    chosen: counted(({ picked }) => picked === 'chosen'),
    raters: suites.flatMap((suite) => {
      const inSuite = decided.filter(({ label }) => label.suite === suite)
      const rows = observed.filter((one) => one.suite === suite)
      return withoutTwin(ratersIn(rows).map((rater) => raterFigures(suite, rater, inSuite, rows)))
    }),
  }
}

/**
 * Removes the figures of all graders together if they are the same as those of a judge. That happens if the judge alone
 * decides.
 */
function withoutTwin(raters: readonly RaterFigures[]): readonly RaterFigures[] {
  const [all, ...judges] = raters
  const figuresOf = ({ confusion, subjects }: RaterFigures): string =>
    JSON.stringify([confusion, subjects.map(({ observed }) => observed)])
  const isTwin = all?.grader === null && judges.some((one) => figuresOf(one) === figuresOf(all))
  return isTwin ? judges : raters
}

const ratersIn = (rows: readonly Observed[]): Rater[] => [
  ...new Map(
    rows.map(({ grader, judge }) => [raterKey({ grader, judge }), { grader, judge }]),
  ).values(),
]

/** A trial that the person and the rater both decided. */
interface Pair {
  readonly subject: string
  readonly case: string
  readonly isRandom: boolean
  readonly person: boolean
  readonly judge: boolean
}

function raterFigures(
  suite: string,
  rater: Rater,
  decided: readonly ReviewedLabel[],
  rows: readonly Observed[],
): RaterFigures {
  const key = raterKey(rater)
  const pairs = decided.flatMap(({ label, verdicts }): Pair[] => {
    const given = verdicts.find((one) => raterKey(one) === key)
    if (given === undefined) return []
    const { subject, case: one, picked, verdict } = label
    const isRandom = picked === 'random'
    return [{ subject, case: one, isRandom, person: verdict === 'pass', judge: given.passed }]
  })
  const random = pairs.filter(({ isRandom }) => isRandom)
  const errors = errorsIn(random)
  const all = rows.filter((row) => raterKey(row) === key)
  const trials = all.reduce((sum, { n }) => sum + n, 0)
  return {
    suite,
    ...rater,
    confusion: confusionOf(pairs),
    kappa: kappaOf(
      pairs.map(({ person }) => person),
      pairs.map(({ judge }) => judge),
      pairs.map((pair) => pair.case),
    ),
    basis: random.length,
    subjects: all.map(({ subject, n, c }) => ({
      subject,
      observed: { n, c },
      byLabels: shareIn(random.filter((pair) => pair.subject === subject)),
      corrected: correctedRate({ n, c }, errors, Math.max(0, trials - random.length)),
    })),
    notes: differenceNotes(random),
  }
}

const confusionOf = (pairs: readonly Pair[]): Confusion => {
  const number = (person: boolean, judge: boolean): number =>
    pairs.filter((pair) => pair.person === person && pair.judge === judge).length
  return {
    bothPass: number(true, true),
    onlyPerson: number(true, false),
    onlyJudge: number(false, true),
    bothFail: number(false, false),
  }
}

function errorsIn(pairs: readonly Pair[]): JudgeErrors {
  const { bothPass, onlyPerson, onlyJudge, bothFail } = confusionOf(pairs)
  return {
    good: { n: bothPass + onlyPerson, c: bothPass },
    bad: { n: bothFail + onlyJudge, c: bothFail },
  }
}

function shareIn(pairs: readonly Pair[]): SubjectCorrection['byLabels'] {
  const n = pairs.length
  const c = pairs.filter(({ person }) => person).length
  return n === 0 ? null : { n, c, ...wilson(n, c) }
}

/** The significance level of each test. Two tests are made, so it is half of 5 %. */
const SIGNIFICANT = 0.025

/** Returns a note if the judge makes significantly more errors on the answers of some subjects than on others. */
function differenceNotes(pairs: readonly Pair[]): string[] {
  const subjects = [...new Set(pairs.map(({ subject }) => subject))]
  const groups = subjects.map((subject) => errorsIn(pairs.filter((one) => one.subject === subject)))
  const differs = (counts: readonly CaseCounts[]): boolean => {
    const used = counts.filter(({ n }) => n > 0)
    return used.length > 1 && homogeneityTest(used).p < SIGNIFICANT
  }
  return differs(groups.map(({ good }) => good)) || differs(groups.map(({ bad }) => bad))
    ? [
        'it errs more often on the answers of some subjects than on those of others, so the corrected rates of single subjects may be off',
      ]
    : []
}

function agreementOf(a: string, b: string, labels: readonly ReviewedLabel[]): Agreement {
  const decided = labels.filter(isDecided)
  const byTrial = new Map(
    decided
      .filter(({ label }) => label.reviewer === b)
      .map(({ label }) => [trialKey(label), label.verdict]),
  )
  const pairs = decided.flatMap(({ label }) => {
    const other = byTrial.get(trialKey(label))
    if (label.reviewer !== a || other === undefined) return []
    return [{ mine: label.verdict === 'pass', other: other === 'pass', group: groupOf(label) }]
  })
  return {
    a,
    b,
    n: pairs.length,
    same: pairs.filter(({ mine, other }) => mine === other).length,
    kappa: kappaOf(
      pairs.map(({ mine }) => mine),
      pairs.map(({ other }) => other),
      pairs.map(({ group }) => group),
    ),
  }
}

const groupOf = ({ suite, case: one }: Label): string => JSON.stringify([suite, one])

const trialKey = ({ suite, case: one, subject, index }: Label): string =>
  JSON.stringify([suite, one, subject, index])

/** Computes Cohen's kappa. Trials of the same case are not independent, so its interval is computed over cases. */
function kappaOf(
  a: readonly boolean[],
  b: readonly boolean[],
  groups: readonly string[],
): Metric | null {
  if (a.length === 0) return null
  return cohenKappa(a.map(Number), b.map(Number), 'none', undefined, groups)
}
