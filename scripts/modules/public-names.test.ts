/**
 * Lists the names that programs may import. A name must be added or removed here and in the changelog on purpose.
 * The packages contract, sandbox and code are internal: programs do not import them, and their names can change at
 * any time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { packageFiles, root } from './read-tree.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

const OWN = /^@assay\/(?:code|contract|sandbox)(?:\/|$)/

const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  '@assay/metrics': words(`
    Adjustment AlphaOptions AlphaScale Alternative AverageFigures BetaBinomialPosterior BetaPrior BootstrapEstimate
    BootstrapOptions Bounds CODE_WEIGHTS COMPOSITE_WEIGHTS CaseCost CaseCounts CaseScores CaseSums Change
    ClassFigures Classification ClassificationOptions ClassifiedTrials CliffsDelta ClusteredSE CodeCaseStats
    CodeModelStats CodeResult CodeTrial CodeWeights ComparisonDesign CompositeWeights CorrectedRate CostQuality
    CrossTier DEFAULT_LEVEL DEFAULT_RESAMPLES DistinctRows FisherExact Flakiness Frontier GRADE_SCALE GateVerdict
    GradeProbability GradeScale GraderResult HeldOutFrontier Homogeneity INTERVAL_METHODS Interval IntervalMethod
    JEFFREYS_PRIOR KappaWeights KruskalWallis MannWhitney McNemar Metric MetricEntry MultiTrialMetrics Needed
    Opinion PairedDifference PairedVariance ParetoMembership PopulationOptions PredictedCount Random RankSet Ratings
    RegistryModule STABLE_WITHIN SequentialBoundaries SignFlip SignedRank SkillScore Spearman Statistic Statistics
    StimulusScore StoppedRate StoppingRule StratifiedHomogeneity StratifiedMean StratifiedTest Stratum Sum
    TIER_PROFILE Target TestDesign TierBlocks TierProfile TierRun TierRuns TierSummary TokenCost TrialBudget
    TrialNoise VarianceComponents Verdict ZeroRule adjustP betaBinomialLogPmf betaBinomialPosterior
    betaConfidenceSequence betaPassAtK betaPassHatK binomialDraw bootstrap bootstrapBlock bootstrapBlocks
    bootstrapSummary chiSquareSf classification classifyChange cliffsDelta clopperPearson clusteredSE codeCaseStats
    codeModelStats codeScore cohenKappa compositeScore computeMultiTrialMetrics computeSkillScore
    computeStimulusScore consensus costDelta costOfPass costOfPassRatio costUsd costVariance countUnscored crossTier
    describe disagreementProbability discordantEValue distinctRows effectiveNInterval exactStratifiedTest
    fisherExact fixedSetInterval flakeDetectionProbability flakiness flakinessPercent frontier frontierHeldOut fsum
    gateVerdict gradeProbabilities homogeneityTest incompleteBeta incompleteBetaUpper incompleteGamma
    incompleteGammaUpper intervalP inverseIncompleteBeta inverseSamplingRate isCorrect isFlaky jeffreys kornGraubard
    krippendorffAlpha krippendorffAlphaEstimate kruskalWallis letterGrade lintScore logBeta logChoose
    logDiscordantEValue logGamma logMixtureLikelihoodRatio mannWhitneyU mcnemar mean meanDifference
    meanScoreEstimate minDetectableEffect moreEvidence multinomialCounts newcombeDifference normalCdf normalQuantile
    normalSf obrienFlemingBoundaries ofSums pairedDifference pairedVariance paretoMembership paretoSet passAtK
    passAtKCurve passAtKEstimate passAtKNaive passHatKCurve passHatKEstimate passHatKUnbiased passRateEstimate
    passRateVariance passToTheK populationVariance quantile random rankSets registry requiredCases resampledMedians
    roganGladen sampleDeviation signFlipExact spearman spendingBoundaries stoppedRate stratifiedHomogeneityTest
    stratifiedMeanTest stratifiedPermutationTest tCdf tQuantile tSf testPassRate tierSummary tierUplift totalUsd
    trialsPerCase uniformInteger upliftAbs upliftRatio varianceComponents wilcoxonSignedRank wilson wilsonBounds
    zeroFailureTrials
  `),
  assay: words(`
    Analysis AnalyzeOptions Answer AnySuite Ask Attempt Case CaseReport Clock CompareOptions
    CompareRequest Comparison Counts CustomGrader CustomGraderOutput Ending FunctionCase FunctionGrade
    FunctionGrader FunctionSuite GateRequest GatedReport Grade GraderCall GraderConfig GraderInput GraderOutput
    GraderTable Identity Integrity Json LoadSuiteOptions LoadedSuite MergeOptions MergedParts Message
    MissingPart NamedFunctionGrader NamedSubject Outcome Problem REASONS RUN_SPECIFIC_PATHS Reason
    ReasonCode Report ReportFormat ReportMetric ReportSource Reported ReportedStep RunError RunEvent
    RunOptions RunRecord RunReport RunRequest RunResult Source Stop Subject SubjectCall SubjectError
    SubjectReport SubjectRequest Suite SuiteError SuiteObject Text Trial Usage UsageError VERSION Warning
    analyze compare compareReports defineGrader formatFor gate loadSuite makeSubjects mergeParts
    readReportFile readRun readTrials reportFormats run selectCases suite summarize withJudges
    withoutRunSpecific writeReport
  `),
  'assay/analyze': words(`
    Analysis AnalyzeOptions analyze readForeignReport
  `),
  'assay/compare': words(`
    CompareOptions CompareRequest Comparison GateRequest GatedReport PairComparison compare compareReports gate
    renderMarkdown renderText
  `),
  'assay/report': words(`
    Report ReportFormat ReportSource RunReport formatFor readReportFile readRun renderReport
    reportFormats summarize writeReport
  `),
  'assay/view-data': words(`
    AGAINST_TITLES Agreement COST_TIME_TITLES CaseEntry CaseHistory Confusion FIGURE_TITLES GATE_STATUS GivenVerdict
    K_NOTE K_TITLES LeftOut MEDIAN_NOTE MOST_COLUMNS MatrixCell MatrixColumn MatrixFilter MatrixRow MatrixSource Missing
    NO_LABEL Observed PROMISED_POINTS RaterFigures ReviewData ReviewFigures ReviewItem ReviewedLabel ReviewerFigures
    RowFile RunFigure RunHead RunList RunRow RunState STATISTIC_TITLES ShownRun SiteCell SiteIndex SiteRun
    SubjectCorrection SuiteChange TIME_NOTE TableCell Trend TrendPoint TrendSeries TrialOrder TrialPage TrialRow
    TrialTable ViewCase ViewCaseChange ViewCaseName ViewCell ViewChange ViewComparison ViewData ViewDiff ViewGrade
    ViewMatrix ViewPair ViewReport ViewRubric ViewSide ViewStep ViewSubject ViewText ViewTrajectory ViewTrial acrossTiers
    againstAs againstNotes againstRows againstTitle classificationNotes classificationTitle commonK comparedAs
    correctionWords costPerPass costTimeRow count counted dollars figureRows gateSentence gradeBasis hasNoLabel
    isScored kRows kappaWords keptRows letterOfMean letterText makeMatrix offset percent pickAfter raterKey raterName
    rerunCommand reviewFigures rowsTable scopeParts seconds share shortCount signed skillSentence spentText statisticsRows
    tokenWords totalWords trialPage unkeptWords verdictsOf
  `),
}

it.each(Object.entries(PUBLIC))('%s exports what is listed', (entry, names) => {
  expect(publicNames(entry)).toEqual(names)
})

it('every entry point of a package is listed', () => {
  expect(entryPoints().filter((entry) => !OWN.test(entry))).toEqual(Object.keys(PUBLIC))
})

/** Matches the name of a package and the rest of an import path, such as `@assay/contract/hash`. */
const entryPoints = (): string[] => [...sources().keys()].toSorted()

/** The source file of each entry point, taken from the `exports` of the packages. Bundles have no source file, types do. */
function sources(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of packageFiles().filter((path) =>
    /^packages\/[^/]+\/package\.json$/.test(path),
  )) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      readonly name: string
      readonly exports?: Readonly<Record<string, string | { readonly types: string }>>
    }
    for (const [path, target] of Object.entries(exports))
      if (typeof target !== 'string')
        found.set(
          join(name, path),
          join(file, '..', target.types.replace('dist', 'src').replace(/\.d\.ts$/, '.ts')),
        )
  }
  return found
}

function publicNames(entry: string): string[] {
  const file = sources().get(entry) ?? ''
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  return module.staticExports
    .flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? 'export *'))
    .toSorted()
}
