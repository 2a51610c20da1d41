/**
 * The rubric of a judge. It is a list of criteria with weights. A criterion is either met or not met, or has a
 * scale of whole numbers. A mark on a scale is converted linearly to a number from 0 to 1. On a scale from 1 to
 * 5, the mark 1 becomes 0 and the mark 5 becomes 1. If a judge says that a criterion does not apply, and the
 * criterion allows this, the criterion is ignored.
 */
import { z } from 'zod'

const MOST_CRITERIA = 50
const WIDEST_SCALE = 1000

const idSchema = z
  .string()
  .regex(/^[\w.-]{1,60}$/, 'an id of letters, digits, dots, hyphens and underscores')

const scaleSchema = z
  .tuple([
    z.int().min(-WIDEST_SCALE).max(WIDEST_SCALE),
    z.int().min(-WIDEST_SCALE).max(WIDEST_SCALE),
  ])
  .refine(([low, high]) => low < high, 'two whole numbers, the lower first, such as [1, 5]')

const criterionSchema = z
  .strictObject({
    id: idSchema.optional().describe('What records call it; c1, c2, … unless given.'),
    text: z.string().min(1).max(10_000).describe('What the judge has to decide, in a sentence.'),
    weight: z
      .number()
      .gt(0)
      .max(1e6)
      .optional()
      .describe('Its share in the judge’s score, relative to the other criteria. Default 1.'),
    scale: scaleSchema
      .optional()
      .describe('The worst and the best mark, such as [1, 5]. Without: met or not met.'),
    mayNotApply: z
      .boolean()
      .optional()
      .describe('The judge may say that it does not apply; it then counts neither way.'),
  })
  .describe('One criterion.')

/** A rubric in a suite: a list of criteria, or of sentences that are met or not met. */
export const rubricSchema = z
  .array(z.union([z.string().min(1).max(10_000), criterionSchema], 'a sentence or a table'))
  .min(1)
  .max(MOST_CRITERIA)

/** A resolved criterion. The case contains it, and the case's hash covers it. */
export interface Criterion {
  readonly id: string
  readonly text: string
  readonly weight: number
  /** The lowest and highest mark; null for a criterion that is met or not met. */
  readonly scale: readonly [number, number] | null
  readonly mayNotApply: boolean
}

export function resolveRubric(given: z.infer<typeof rubricSchema>): Criterion[] {
  return given.map((entry, index) => {
    const { id, text, weight, scale, mayNotApply } =
      typeof entry === 'string' ? { text: entry } : { ...entry }
    return {
      id: id ?? `c${index + 1}`,
      text,
      weight: weight ?? 1,
      scale: scale ?? null,
      mayNotApply: mayNotApply ?? false,
    }
  })
}

/** Returns the first duplicate id, or null. */
export function repeatedId(rubric: readonly Criterion[]): string | null {
  const seen = new Set<string>()
  for (const { id } of rubric) {
    if (seen.has(id)) return id
    seen.add(id)
  }
  return null
}

const quality = (
  id: string,
  weight: number,
  text: string,
  mayNotApply: boolean = false,
): Criterion => ({ id, text, weight, scale: [1, 5], mayNotApply })

/** The built-in rubrics. */
export const PRESETS = {
  /** Ten categories for the quality of code and work. Their weights are those of the tiered experiments. */
  quality: [
    quality('functional-correctness', 2, 'It does what the task asks for, also at the edges.'),
    quality('completeness', 1.5, 'Every part of the task is done; nothing is left as a stub.'),
    quality('code-quality', 1, 'It is sound work: errors are handled, nothing is fragile.'),
    quality('simplicity', 1, 'It is no more complicated than the task needs.'),
    quality('lack-of-duplication', 0.5, 'Nothing is said or computed twice without need.'),
    quality('clarity', 1, 'Names and structure let a reader understand it at first reading.'),
    quality('documentation', 0.5, 'What a reader cannot see from the code is written down.', true),
    quality('architectural-cleanliness', 0.5, 'Parts have one job each and few ties.', true),
    quality('efficiency', 0.5, 'It wastes neither time nor memory where that matters.', true),
    quality('cleanup-script-quality', 1, 'What it set up is taken down again, completely.', true),
  ],
} as const satisfies Readonly<Record<string, readonly Criterion[]>>

const CATEGORIES: ReadonlySet<string> = new Set(
  Object.values(PRESETS).flatMap((preset) => preset.map(({ id }) => id)),
)

/** Whether a criterion is one of the built-in categories of quality. Other criteria are requirements of the task. */
export const isCategory = ({ id }: Pick<Criterion, 'id'>): boolean => CATEGORIES.has(id)

/** A judge's mark for one criterion. Null if the criterion does not apply. */
export type Mark = boolean | number | null

/** Converts a mark to a number in [0, 1]. */
export function placeOnScale({ scale }: Criterion, mark: Exclude<Mark, null>): number {
  if (typeof mark === 'boolean') return mark ? 1 : 0
  const [low, high] = scale ?? [0, 1]
  return (mark - low) / (high - low)
}
