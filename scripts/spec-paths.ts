/**
 * Says where in report.json each figure of the three documents is. `[]` stands for every item of a list.
 * docs/reference/formulas.md prints this table, and a test looks up every path in a real report.
 */
export interface SpecPath {
  readonly document: 'code-scoring' | 'scoring-functions' | 'metrics-formulas'
  readonly figure: string
  readonly path: string
}

const row = 'subjects[]'
const skill = `${row}.spec.skill`
const stimulus = `${skill}.stimulusScores[]`
const blocks = `${row}.spec.statistics`

const code = (figure: string, path: string): SpecPath => ({
  document: 'code-scoring',
  figure,
  path,
})
const scoring = (figure: string, path: string): SpecPath => ({
  document: 'scoring-functions',
  figure,
  path,
})
const tiered = (figure: string, path: string): SpecPath => ({
  document: 'metrics-formulas',
  figure,
  path,
})

const run = `${row}.cases[].runs[]`

const MULTI_TRIAL = ['perTrialPassRate', 'passAtK', 'passToTheK', 'k'] as const
const STATISTICS = ['median', 'mean', 'mode', 'min', 'max', 'std_dev', 'count'] as const
const BLOCKS = [
  ['Pass Rate', 'pass_rate'],
  ['Implementation Rate (impl_rate)', 'impl_rate'],
  ['Cost (USD)', 'cost_usd'],
  ['Duration', 'duration_seconds'],
  ['Cost of Pass (CoP), per run', 'cost_of_pass'],
  ['Composite Score', 'composite'],
] as const

export const SPEC_PATHS: readonly SpecPath[] = [
  code('overall score, average across attempts (per case)', `${row}.cases[].meanScore`),
  code('overall score (per model)', `${row}.meanScore.value`),
  code('Compilation: average compilation rate', `${row}.code.compilationRate.value`),
  code('Tests: average test pass rate', `${row}.code.testPassRate.value`),
  code('Clippy: lint score', `${row}.code.lintScore.value`),
  code('n, samples of a case', `${row}.cases[].n`),
  code('c, correct samples of a case', `${row}.cases[].c`),
  code('Pass@k for each requested k (per model)', `${row}.passAtK[].metric.value`),
  code('Pass@k (per case and model)', `${row}.cases[].passAtK[].value`),
  code('Total cost', `${row}.cost.totalUsd`),
  code('Average latency', `${row}.latency.meanMs`),

  scoring('passAtK', `${stimulus}.multiTrial.passAtK`),
  scoring('passAtKNaive', `${row}.spec.passAtKNaive[].value`),
  scoring('passToTheK', `${row}.spec.passToTheK[].value`),
  ...MULTI_TRIAL.map((name) =>
    scoring(`MultiTrialMetrics.${name}`, `${stimulus}.multiTrial.${name}`),
  ),
  scoring('StimulusScore.stimulusName', `${stimulus}.stimulusName`),
  scoring('StimulusScore.trialResults', `${stimulus}.trialResults[][]`),
  ...(['name', 'score', 'passed'] as const).map((name) =>
    scoring(`GraderResult.${name}`, `${stimulus}.trialResults[][].${name}`),
  ),
  scoring('GraderResult.details', `${stimulus}.trialResults[][].details[].score`),
  scoring('StimulusScore.aggregateScore', `${stimulus}.aggregateScore`),
  scoring('StimulusScore.unscored', `${stimulus}.unscored`),
  scoring('StimulusScore.flaky', `${stimulus}.flaky`),
  scoring('StimulusScore.flakinessPercent', `${stimulus}.flakinessPercent`),
  scoring('SkillScore.skillName', `${skill}.skillName`),
  scoring('SkillScore.overallScore', `${skill}.overallScore`),
  ...MULTI_TRIAL.map((name) =>
    scoring(`SkillScore.overallMultiTrial.${name}`, `${skill}.overallMultiTrial.${name}`),
  ),
  scoring('SkillScore.passed', `${skill}.passed`),

  ...BLOCKS.flatMap(([title, block]) =>
    STATISTICS.map((name) => tiered(`${title}: ${name}`, `${blocks}.${block}.${name}`)),
  ),
  tiered('Pass Rate of a run', `${run}.pass_rate`),
  tiered('Implementation Rate of a run', `${run}.impl_rate`),
  tiered('Cost of a run', `${run}.cost_usd`),
  tiered('Duration of a run', `${run}.duration_seconds`),
  tiered('Cost of Pass of a run', `${run}.cost_of_pass`),
  tiered('Composite Score of a run', `${run}.composite`),
  tiered('Cost of Pass of a tier', `${row}.spec.cost_of_pass`),
  tiered('Letter grade', `${row}.spec.grade`),
  tiered('Meaning of the letter grade', `${row}.grade.meaning`),
  tiered('Tier Uplift', 'tiers[].tier_uplift[]'),
  tiered('Pass Rate Variance', 'tiers[].pass_rate_variance'),
  tiered('Pass Rate Variance: prompt sensitive or insensitive', 'tiers[].sensitivity.reading'),
  tiered('Cost Variance', 'tiers[].cost_variance'),
  tiered('Cost Delta', 'tiers[].cost_delta'),
]

/** Returns all values that a path leads to. */
export function valuesAt(value: unknown, path: string): unknown[] {
  const steps = path.match(/\[\]|[^.[\]]+/g) ?? []
  return steps.reduce<unknown[]>(
    (found, step) =>
      found.flatMap((one) =>
        step === '[]' ? (one as unknown[]) : [(one as Record<string, unknown> | null)?.[step]],
      ),
    [value],
  )
}
