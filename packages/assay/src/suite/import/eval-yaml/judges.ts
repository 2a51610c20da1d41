/**
 * Translates the `prompt` and `panel` graders of the eval YAML into judges: one question, answered by yes or no or on
 * a scale, by one model or several. A threshold above 1 is a mark on the scale, not a fraction of it.
 */
import { z } from 'zod'
import type { Json } from '@assay/contract'

const SCALES = {
  binary: null,
  scale_1_5: [1, 5],
  scale_1_10: [1, 10],
} as const satisfies Readonly<Record<string, readonly [number, number] | null>>

const model = z.string().min(1)

export const evalYamlJudge = z.looseObject({
  prompt: z.string().min(1).max(10_000),
  model: model.optional(),
  models: z.array(model).min(1).optional(),
  judges: z
    .array(z.union([model, z.looseObject({ model })], 'a model'))
    .min(1)
    .optional(),
  scoring: z.enum(Object.keys(SCALES) as [keyof typeof SCALES]).optional(),
  threshold: z.number().min(0).max(10).optional(),
  aggregation: z.enum(['mean', 'average', 'median', 'majority']).optional(),
  negate: z.boolean().optional(),
})

type Given = z.infer<typeof evalYamlJudge>

/**
 * Whether the name includes a provider. The format omits the provider if its own tool knows it, but Assay needs it.
 */
const isFindable = (name: string): boolean => /^[\w.-]+\/\S/.test(name)

function modelsOf({ model: one, models = [], judges = [] }: Given): string[] {
  const all = [
    ...(one === undefined ? [] : [one]),
    ...models,
    ...judges.map((judge) => (typeof judge === 'string' ? judge : judge.model)),
  ]
  return [...new Set(all)]
}

/** Returns the models that are named without a provider. For these the run has to name the judges. */
export const modelsWithoutProvider = (given: Given): string[] =>
  modelsOf(given).filter((name) => !isFindable(name))

/** Returns the options of the judge grader. */
export function judgeOptionsFrom(given: Given): Json {
  const scale = SCALES[given.scoring ?? 'binary']
  const { threshold, aggregation } = given
  const models = modelsOf(given)
  return {
    // Use all models or none: a panel with missing members would be a different panel.
    judges: models.every(isFindable) ? models : [],
    rubric: [{ id: 'prompt', text: given.prompt, ...(scale === null ? {} : { scale }) }],
    ...(threshold === undefined ? {} : { threshold: shareOf(threshold, scale) }),
    ...(aggregation === undefined
      ? {}
      : { aggregate: aggregation === 'average' ? 'mean' : aggregation }),
  }
}

function shareOf(threshold: number, scale: readonly [number, number] | null): number {
  if (threshold <= 1 || scale === null) return Math.min(1, threshold)
  const [low, high] = scale
  return Math.min(1, (threshold - low) / (high - low))
}
