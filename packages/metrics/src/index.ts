/**
 * The public functions and types of @assay/metrics. The functions take plain data and return plain
 * numbers. docs/reference/formulas.md describes each function; `registry` has the same descriptions as data.
 */

// Types of results
export {
  DEFAULT_LEVEL,
  INTERVAL_METHODS,
  type Bounds,
  type CaseCounts,
  type Interval,
  type IntervalMethod,
  type Metric,
  type Target,
} from './metric.ts'
export { registry, type MetricEntry, type RegistryModule } from './registry.ts'
export { fsum, mean, Sum } from './fsum.ts'

// The formulas of the documents code-scoring, scoring-functions and metrics-formulas
export { classifyChange, type Change } from './spec/code/classify-change.ts'
export {
  codeCaseStats,
  codeModelStats,
  type CodeCaseStats,
  type CodeModelStats,
  type CodeTrial,
} from './spec/code/code-aggregates.ts'
export {
  CODE_WEIGHTS,
  codeScore,
  isCorrect,
  lintScore,
  testPassRate,
  type CodeResult,
  type CodeWeights,
} from './spec/code/code-score.ts'
export {
  COMPOSITE_WEIGHTS,
  compositeScore,
  type CompositeWeights,
} from './spec/tiers/composite-score.ts'
export { costOfPass, costUsd, totalUsd, type TokenCost } from './spec/tiers/cost.ts'
export { describe, populationVariance, sampleDeviation, type Statistics } from './spec/describe.ts'
export { GRADE_SCALE, letterGrade, type GradeScale } from './spec/tiers/letter-grade.ts'
export {
  computeMultiTrialMetrics,
  flakinessPercent,
  isFlaky,
  type MultiTrialMetrics,
} from './spec/multi-trial.ts'
export { passAtK, passAtKNaive } from './spec/pass-at-k.ts'
export { passHatKUnbiased, passToTheK } from './spec/pass-hat-k.ts'
export { computeSkillScore, countUnscored, type SkillScore } from './spec/skill-score.ts'
export {
  computeStimulusScore,
  type GraderResult,
  type StimulusScore,
} from './spec/stimulus-score.ts'
export {
  costDelta,
  costVariance,
  crossTier,
  passRateVariance,
  TIER_PROFILE,
  tierSummary,
  tierUplift,
  upliftAbs,
  type CrossTier,
  type TierBlocks,
  type TierProfile,
  type TierRun,
  type TierRuns,
  type TierSummary,
} from './spec/tiers/tiers.ts'

// Classification
export {
  classification,
  type AverageFigures,
  type ClassFigures,
  type Classification,
  type ClassificationOptions,
  type ClassifiedTrials,
} from './classify/classification.ts'

// Estimates and their intervals
export { betaBinomialLogPmf, betaPassAtK, betaPassHatK } from './interval/beta-binomial.ts'
export {
  betaBinomialPosterior,
  type BetaBinomialPosterior,
  type PredictedCount,
} from './interval/beta-binomial-posterior.ts'
export { clopperPearson, kornGraubard } from './interval/proportion/clopper-pearson.ts'
export { clusteredSE, type ClusteredSE } from './interval/clustered-se.ts'
export { effectiveNInterval, type PopulationOptions } from './interval/proportion/effective-n.ts'
export { fixedSetInterval } from './interval/fixed-set-interval.ts'
export {
  disagreementProbability,
  flakeDetectionProbability,
  flakiness,
  STABLE_WITHIN,
  type Flakiness,
} from './interval/flakiness.ts'
export { jeffreys } from './interval/proportion/jeffreys.ts'
export { meanScoreEstimate, type CaseScores } from './interval/mean-score-estimate.ts'
export { newcombeDifference } from './interval/proportion/newcombe.ts'
export { passAtKCurve, passHatKCurve } from './interval/pass-curve.ts'
export { passAtKEstimate, passHatKEstimate, passRateEstimate } from './interval/pass-estimate.ts'
export { wilson, wilsonBounds } from './interval/proportion/wilson.ts'

// Comparing runs
export { adjustP, type Adjustment } from './compare/adjust-p.ts'
export { cliffsDelta, type CliffsDelta } from './compare/rank/cliffs-delta.ts'
export {
  exactStratifiedTest,
  type StratifiedTest,
  type Stratum,
} from './compare/exact-stratified-test.ts'
export { fisherExact, type FisherExact } from './compare/fisher-exact.ts'
export { gateVerdict, type GateVerdict, type Verdict } from './compare/gate-verdict.ts'
export { homogeneityTest, type Homogeneity } from './compare/homogeneity-test.ts'
export { intervalP } from './compare/interval-p.ts'
export { kruskalWallis, type KruskalWallis } from './compare/rank/kruskal-wallis.ts'
export type { Alternative } from './compare/lattice.ts'
export { mannWhitneyU, type MannWhitney } from './compare/rank/mann-whitney.ts'
export { mcnemar, type McNemar } from './compare/mcnemar.ts'
export { pairedDifference, type PairedDifference } from './compare/paired-difference.ts'
export { rankSets, type RankSet } from './compare/rank/rank-sets.ts'
export { signFlipExact, type SignFlip } from './compare/rank/sign-flip.ts'
export { spearman, type Spearman } from './compare/rank/spearman.ts'
export {
  stratifiedHomogeneityTest,
  type StratifiedHomogeneity,
} from './compare/stratified-homogeneity-test.ts'
export {
  stratifiedMeanTest,
  stratifiedPermutationTest,
  type StratifiedMean,
} from './compare/stratified-mean-test.ts'
export {
  wilcoxonSignedRank,
  type SignedRank,
  type ZeroRule,
} from './compare/rank/wilcoxon-signed-rank.ts'

// Planning how many cases and trials a run needs
export { moreEvidence, type Needed, type TrialNoise } from './plan/more-evidence.ts'
export { pairedVariance, type PairedVariance } from './plan/paired-variance.ts'
export {
  minDetectableEffect,
  requiredCases,
  type ComparisonDesign,
  type TestDesign,
} from './plan/required-cases.ts'
export { trialsPerCase, type TrialBudget } from './plan/trials-per-case.ts'
export {
  varianceComponents,
  type CaseSums,
  type VarianceComponents,
} from './plan/variance-components.ts'
export { zeroFailureTrials } from './plan/zero-failure-trials.ts'

// Random streams and the bootstrap
export { binomialDraw, multinomialCounts } from './resample/binomial-draw.ts'
export {
  bootstrap,
  bootstrapBlock,
  bootstrapBlocks,
  bootstrapSummary,
  DEFAULT_RESAMPLES,
  type BootstrapEstimate,
  type BootstrapOptions,
} from './resample/bootstrap.ts'
export { distinctRows, type DistinctRows } from './resample/distinct-rows.ts'
export { quantile } from './resample/quantile.ts'
export { random, uniformInteger, type Random } from './resample/random.ts'
export { ofSums, type Statistic } from './resample/statistic.ts'

// Cost per passed trial
export { costOfPassRatio, type CaseCost } from './cost/cost-of-pass-ratio.ts'
export { frontier, frontierHeldOut, type Frontier, type HeldOutFrontier } from './cost/frontier.ts'
export {
  gradeProbabilities,
  resampledMedians,
  type GradeProbability,
} from './cost/grade-probabilities.ts'
export {
  paretoMembership,
  paretoSet,
  type CostQuality,
  type ParetoMembership,
} from './cost/pareto-set.ts'
export { upliftRatio } from './cost/uplift-ratio.ts'

// Agreement of judges
export { cohenKappa, type KappaWeights } from './judge/cohen-kappa.ts'
export { consensus, meanDifference, type Opinion } from './judge/consensus.ts'
export {
  krippendorffAlpha,
  krippendorffAlphaEstimate,
  type AlphaOptions,
  type AlphaScale,
  type Ratings,
} from './judge/krippendorff-alpha.ts'
export { roganGladen, type CorrectedRate } from './judge/rogan-gladen.ts'

// Sequential tests: looking at the results before all trials are done
export { betaConfidenceSequence } from './sequential/beta-confidence-sequence.ts'
export { discordantEValue, logDiscordantEValue } from './sequential/discordant-e-value.ts'
export { inverseSamplingRate } from './sequential/inverse-sampling-rate.ts'
export {
  JEFFREYS_PRIOR,
  logMixtureLikelihoodRatio,
  type BetaPrior,
} from './sequential/mixture-likelihood.ts'
export {
  obrienFlemingBoundaries,
  spendingBoundaries,
  type SequentialBoundaries,
} from './sequential/obrien-fleming.ts'
export { stoppedRate, type StoppedRate, type StoppingRule } from './sequential/stopping-rule.ts'

// Special functions
export { chiSquareSf } from './special/chi-square.ts'
export {
  incompleteBeta,
  incompleteBetaUpper,
  inverseIncompleteBeta,
} from './special/incomplete-beta.ts'
export { incompleteGamma, incompleteGammaUpper } from './special/incomplete-gamma.ts'
export { logBeta, logChoose, logGamma } from './special/log-gamma.ts'
export { normalCdf, normalQuantile, normalSf } from './special/normal.ts'
export { tCdf, tQuantile, tSf } from './special/student-t.ts'
