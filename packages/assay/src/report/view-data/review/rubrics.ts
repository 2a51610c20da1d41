/**
 * Collects the rubrics of a case's judges, as the pages show them. A reader who decides whether a judge is right must
 * know what the judge was asked. The case comes from a run folder that may be someone else's, so nothing is assumed
 * about the options.
 */
import { eachGrader, isJudgeGrade, type Case, type GraderConfig } from '@assay/contract'
import type { ViewCriterion, ViewRubric, ViewText } from '../view-data.ts'

const MOST_RUBRICS = 20
const MOST_CRITERIA = 50
const MOST_JUDGES = 20
const MOST_NAME = 500

/** `cut` shortens a text that is too long for the page. */
export function rubricsOf(
  { graders }: Pick<Case, 'graders'>,
  cut: (text: string) => ViewText,
): ViewRubric[] {
  return judgesIn(graders)
    .slice(0, MOST_RUBRICS)
    .map(({ name, options }) => {
      const { judges, rubric, instructions, threshold } = fieldsOf(options)
      return {
        name: nameOf(name),
        judges: listOf(judges).slice(0, MOST_JUDGES).map(nameOf),
        criteria: listOf(rubric)
          .slice(0, MOST_CRITERIA)
          .map((one) => criterionOf(fieldsOf(one), cut)),
        instructions: cut(typeof instructions === 'string' ? instructions : ''),
        threshold: typeof threshold === 'number' ? threshold : null,
      }
    })
}

function judgesIn(graders: readonly GraderConfig[]): readonly GraderConfig[] {
  try {
    return eachGrader(graders).filter(isJudgeGrade)
  } catch {
    // A suite that no command of Assay wrote: its list of graders has another shape.
    return []
  }
}

type Fields = Readonly<Record<string, unknown>>

function criterionOf(
  { id, text, weight, scale }: Fields,
  cut: (text: string) => ViewText,
): ViewCriterion {
  const [low, high] = listOf(scale)
  return {
    id: nameOf(id),
    text: cut(typeof text === 'string' ? text : ''),
    weight: typeof weight === 'number' ? weight : 1,
    scale: typeof low === 'number' && typeof high === 'number' ? [low, high] : null,
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : []

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MOST_NAME) : ''
