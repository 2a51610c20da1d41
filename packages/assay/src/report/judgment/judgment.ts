/**
 * Writes what the judges of one trial said, in the format `judgment.json` of tiered experiments: scores of requirements
 * and categories, a summary, strengths and weaknesses. With several judges, a score is the mean of their scores. The
 * format has no fields for the trial's identity, the single judges and their runs. So these are written under the key
 * `assay`.
 */
import { letterGrade, mean } from '@assay/metrics'
import {
  type Grade,
  isJudgeGrade,
  JUDGE_CRITERION,
  JUDGE_RUN,
  type Json,
  type Trial,
} from '@assay/contract'

interface Mark {
  readonly score: number | null
  /** Null if no judge states a confidence. */
  readonly confidence: number | null
  readonly notes: string
}

export interface Judgment {
  readonly timestamp: string
  readonly judge_model: string
  readonly requirements: Readonly<Record<string, Mark & { readonly id: string }>>
  readonly categories: Readonly<
    Record<string, Mark & { readonly name: string; readonly weight: number }>
  >
  readonly summary: {
    readonly weighted_score: number
    readonly passed: boolean
    readonly letter_grade: string
    readonly overall_confidence: number | null
    readonly strengths: readonly string[]
    readonly weaknesses: readonly string[]
  }
  readonly exploratory_testing?: {
    readonly commands_run: readonly string[]
    readonly observations: readonly string[]
    readonly failures: readonly string[]
  }
  readonly qualitative_feedback: string
  readonly assay: {
    readonly suite: string
    readonly case: string
    readonly subject: string
    readonly index: number
    readonly judges: readonly Json[]
  }
}

/** Returns the judgment of a trial. Null if no judge gave a verdict. */
export function judgmentOf(trial: Trial): Judgment | null {
  const graded = trial.grades.filter(isJudgeGrade)
  const { implRate } = trial
  if (graded.length === 0 || implRate === null) return null
  const judges = graded.flatMap(({ details = [] }) => details)
  // If a judge ran several times, each run counts as an opinion. Otherwise the judge's grade is its only opinion.
  const opinions = judges.flatMap((one) => {
    const runs = partsOf(one, JUDGE_RUN)
    return runs.length === 0 ? [one] : runs
  })
  const commands = opinions.flatMap((one) => textsIn(one, 'explored'))
  return {
    timestamp: trial.time.startedAt,
    judge_model: [...new Set(judges.map(({ name }) => name))].join(', '),
    ...criteriaOf(graded),
    summary: {
      weighted_score: implRate,
      passed: graded.every(isPassed),
      letter_grade: letterGrade(implRate),
      overall_confidence: meanOf(judges.map((one) => numberIn(one, 'confidence'))),
      strengths: distinct(opinions.flatMap((one) => textsIn(one, 'strengths'))),
      weaknesses: distinct(opinions.flatMap((one) => textsIn(one, 'weaknesses'))),
    },
    ...(commands.length === 0
      ? {}
      : { exploratory_testing: { commands_run: commands, observations: [], failures: [] } }),
    qualitative_feedback: graded.map(({ reason = '' }) => reason).join('\n'),
    assay: {
      suite: trial.suite,
      case: trial.case,
      subject: trial.subject,
      index: trial.index,
      judges: graded.map((grade) => grade as unknown as Json),
    },
  }
}

/**
 * Whether a judge's grade is a pass. If other graders decide the trial, the judge's verdict is withdrawn (`passed` is
 * null). Then its score is compared with its threshold.
 */
function isPassed(grade: Grade): boolean {
  if (grade.passed !== null) return grade.passed
  const threshold = numberIn(grade, 'threshold') ?? 0.5
  return (grade.score ?? 0) >= threshold - 1e-9
}

function criteriaOf(graded: readonly Grade[]): Pick<Judgment, 'requirements' | 'categories'> {
  const requirements: [string, Mark & { id: string }][] = []
  const categories: [string, Mark & { name: string; weight: number }][] = []
  for (const { name: grader, details = [] } of graded) {
    const marks = Map.groupBy(
      details.flatMap((judge) => partsOf(judge, JUDGE_CRITERION)),
      ({ name }) => name,
    )
    for (const [id, all] of marks) {
      const isCategory = all.some(({ facts }) => valueIn(facts, 'category') === true)
      const mark = markOf(all, reasonsFor(id, details))
      // Two judge graders of a case may have criteria with the same id. So with several graders, the grader's name is
      // part of the key.
      const key = graded.length === 1 ? id : `${grader}/${id}`
      if (!isCategory) requirements.push([key, { id: key, ...mark }])
      else {
        const name = key.replaceAll('-', '_')
        categories.push([name, { name, weight: all[0]?.weight ?? 1, ...mark }])
      }
    }
  }
  return {
    requirements: Object.fromEntries(requirements),
    categories: Object.fromEntries(categories),
  }
}

/** Returns the reasons that the judges give for a criterion. If a judge ran several times, the reason of each run. */
const reasonsFor = (id: string, judges: readonly Grade[]): string[] =>
  judges
    .flatMap((judge) => {
      const runs = partsOf(judge, JUDGE_RUN)
      return (runs.length === 0 ? [judge] : runs).flatMap((one) => partsOf(one, JUDGE_CRITERION))
    })
    .flatMap(({ name, reason }) => (name === id && reason !== undefined ? [reason] : []))

const markOf = (all: readonly Grade[], reasons: readonly string[]): Mark => ({
  score: meanOf(all.map(({ score }) => score)),
  confidence: meanOf(all.map((one) => numberIn(one, 'confidence'))),
  notes: distinct(reasons).join('\n'),
})

const partsOf = ({ details = [] }: Grade, type: string): Grade[] =>
  details.filter((one) => one.type === type)

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : mean(known)
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]

// ── Facts. A log may come from another program, so any value may be missing or of any type. ──────────────────────────

function valueIn(facts: Json | undefined, key: string): Json | undefined {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return undefined
  return Object.hasOwn(facts, key) ? (facts as Readonly<Record<string, Json>>)[key] : undefined
}

function numberIn({ facts }: Grade, key: string): number | null {
  const value = valueIn(facts, key)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function textsIn({ facts }: Grade, key: string): string[] {
  const value = valueIn(facts, key)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
