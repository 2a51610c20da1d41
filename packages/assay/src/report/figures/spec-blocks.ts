/**
 * Computes the figures of two specifications: the statistics and the letter grade of metrics-formulas, and the skill
 * and stimulus scores of scoring-functions. They are plain numbers with the names that the specification uses. Unlike
 * the other figures of a report, they have no intervals.
 */
import {
  computeSkillScore,
  computeStimulusScore,
  costOfPass,
  describe,
  mean,
  passAtKNaive,
  passToTheK,
  tierSummary,
  type GraderResult,
  type Statistics,
  type StimulusScore,
  type TierBlocks,
  type TierRun,
  type TierRuns,
  type TierSummary,
} from '@assay/metrics'
import type { Grade } from '@assay/contract'
import type { Tally } from '../../log/index.ts'
import { eachScored, scoredValues, type CellFigures } from './cell-figures.ts'
import { implRateAt, type TierScoring } from './composite.ts'
import type { Blocks, StatisticsBlock, SubjectReport } from '../schema/report.ts'

type Spec = SubjectReport['spec']

/**
 * Returns the grader results of a trial by its position in the plan. Null if the run has too many trials to keep them.
 */
export type GradesAt = ((ordinal: number) => readonly GraderResult[]) | null

export interface SpecOptions {
  readonly passK: readonly number[]
  /** The score that a skill needs in order to pass, from the suite. Null if the suite sets none. */
  readonly threshold: number | null
  readonly gradesAt: GradesAt
  readonly scoring: TierScoring
}

export function specBlocks(
  tally: Tally,
  figures: readonly CellFigures[],
  { passK, threshold, gradesAt, scoring }: SpecOptions,
): { readonly spec: Spec; readonly tier: TierSummary | null } {
  const scored = figures.filter(({ n }) => n > 0)
  const tier =
    scored.length === 0
      ? null
      : tierSummary(
          scored.map((one) => runs(tally, one, scoring)),
          scoring,
        )
  const scores = scoredValues(
    tally,
    scored.map(({ cell }) => cell),
    tally.score,
  )
  const pooled = tier?.pooled
  const ofRates = (at: (rate: number, k: number) => number): Spec['passToTheK'] =>
    passK.map((k) => ({
      k,
      value: scored.length === 0 ? null : mean(scored.map(({ n, c }) => at(c / n, k))),
    }))
  const cost =
    pooled?.costUsd == null ? null : costOfPass(pooled.costUsd.mean, pooled.passRate.mean)
  return {
    tier,
    spec: {
      statistics: tier === null ? null : blocks(tier.pooled),
      statisticsPerCase: tier === null ? null : blocks(tier.perCase),
      score:
        scores.values.length === 0 || scores.unknown > 0
          ? null
          : statistics(describe(scores.values)),
      grade: tier?.grade ?? null,
      cost_of_pass: finite(cost),
      ...(cost === Infinity ? { infinite: ['cost_of_pass'] } : {}),
      passToTheK: ofRates(passToTheK),
      passAtKNaive: ofRates(passAtKNaive),
      skill: skill(tally, figures, threshold, gradesAt),
    },
  }
}

/**
 * One trial in the form that the formulas of @assay/metrics take. It reads from the tally's columns instead of copying
 * them, because there may be a million trials.
 */
class RecordedRun implements TierRun {
  readonly #tally: Tally
  readonly #ordinal: number
  readonly #scoring: TierScoring

  constructor(tally: Tally, ordinal: number, scoring: TierScoring) {
    this.#tally = tally
    this.#ordinal = ordinal
    this.#scoring = scoring
  }

  get passed(): boolean {
    return this.#tally.outcomeAt(this.#ordinal) === 'passed'
  }

  get implRate(): number | null | undefined {
    const rate = implRateAt(this.#tally, this.#ordinal, this.#scoring)
    return rate === null && this.#scoring.isSetAside?.(this.#ordinal) === true ? undefined : rate
  }

  get costUsd(): number | null {
    return known(this.#tally.answerUsd.at(this.#ordinal))
  }

  /** The trial's end minus its start. */
  get durationSeconds(): number | null {
    return known(this.#tally.durationMs.at(this.#ordinal) / 1000)
  }
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)

/**
 * Returns the scored trials of one subject on one case (a cell) as an iterable. An object for a trial exists only while
 * the trial is visited.
 */
function runs(tally: Tally, { cell, n }: CellFigures, scoring: TierScoring): TierRuns {
  const { first, trials } = cell
  return {
    length: n,
    *[Symbol.iterator]() {
      for (let ordinal = first; ordinal < first + trials; ordinal++)
        if (tally.isScored(ordinal)) yield new RecordedRun(tally, ordinal, scoring)
    },
  }
}

function blocks(tier: TierBlocks): Blocks {
  const of = (block: Statistics | null): StatisticsBlock | null =>
    block === null ? null : statistics(block)
  return {
    pass_rate: statistics(tier.passRate),
    impl_rate: of(tier.implRate),
    cost_usd: of(tier.costUsd),
    duration_seconds: of(tier.durationSeconds),
    cost_of_pass: of(tier.costOfPass),
    composite: of(tier.composite),
  }
}

const finite = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : value

function statistics({ stdDev, ...block }: Statistics): StatisticsBlock {
  const infinite = Object.entries(block)
    .filter(([, value]) => value === Infinity)
    .map(([name]) => name)
  return {
    median: finite(block.median),
    mean: finite(block.mean),
    mode: finite(block.mode),
    min: finite(block.min),
    max: finite(block.max),
    std_dev: stdDev,
    count: block.count,
    ...(infinite.length === 0 ? {} : { infinite }),
  }
}

/** Returns the skill score. If the suite has no threshold, a skill passes if every scored trial passed. */
function skill(
  tally: Tally,
  figures: readonly CellFigures[],
  threshold: number | null,
  gradesAt: GradesAt,
): Spec['skill'] {
  const stimuli = figures
    .filter(({ n, unscored }) => n > 0 || unscored > 0)
    .map((one) => stimulus(tally, one, gradesAt))
  if (stimuli.length === 0) return null
  const score = computeSkillScore(figures[0]?.cell.suite.id ?? '', stimuli, threshold ?? 0)
  const all = figures.every(({ n, c }) => n === c) && figures.some(({ n }) => n > 0)
  return {
    ...score,
    stimulusScores: score.stimulusScores.map(({ trialResults, ...rest }) => ({
      ...rest,
      ...(gradesAt === null ? {} : { trialResults }),
    })),
    passed: threshold === null ? all : score.passed,
  }
}

const NOT_KEPT: GraderResult[] = []

function stimulus(
  tally: Tally,
  { cell, n, unscored }: CellFigures,
  gradesAt: GradesAt,
): StimulusScore {
  const trials: { grade: GraderResult; passed: boolean }[] = []
  eachScored(tally, cell, (i) => {
    const passed = tally.outcomeAt(i) === 'passed'
    const score = tally.score.at(i)
    trials.push({
      passed,
      grade: {
        name: 'trial',
        score: Number.isNaN(score) ? Number(passed) : score,
        passed,
        details: gradesAt === null ? NOT_KEPT : [...gradesAt(i)],
      },
    })
  })
  // A stimulus without graders has no results, but its number of trials is known.
  if (n === 0)
    for (let i = 0; i < unscored; i++)
      trials.push({ passed: false, grade: { name: 'trial', score: 0, passed: false } })
  return computeStimulusScore(cell.case.id, trials, n > 0)
}

/**
 * Converts a grade to the form of the scoring-functions specification. That form has no advisory grades (grades without
 * a verdict), so they are converted to passed. A grade without a score gets 1 or 0 according to its verdict.
 */
export function graderResult({ name, score, passed, details }: Grade): GraderResult {
  return {
    name,
    score: score ?? (passed === false ? 0 : 1),
    passed: passed ?? true,
    ...(details === undefined ? {} : { details: details.map(graderResult) }),
  }
}
