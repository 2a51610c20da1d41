/**
 * Translates the `prompt` and `panel` graders of the eval YAML format into judges. Such a grader asks one question.
 * One or several models answer it with yes or no, or with a mark on a scale. A threshold above 1 is a mark on the
 * scale and not a fraction of it.
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
  evidence: z.array(z.string()).optional(),
  aggregation: z.enum(['mean', 'average', 'median', 'majority']).optional(),
  negate: z.boolean().optional(),
})

type Given = z.infer<typeof evalYamlJudge>

/**
 * Whether the name of a model includes a provider. The program that these files were written for knows the providers
 * of some models, so files may omit them. Assay needs the provider.
 */
export const isFindable = (name: string): boolean => /^[\w.-]+\/\S/.test(name)

function modelsOf({ model: one, models = [], judges = [] }: Given): string[] {
  const all = [
    ...(one === undefined ? [] : [one]),
    ...models,
    ...judges.map((judge) => (typeof judge === 'string' ? judge : judge.model)),
  ]
  return all
}

/**
 * Returns the models that are named without a provider. If there are any, the user must name the judges when
 * starting the run.
 */
export const modelsWithoutProvider = (given: Given): string[] =>
  [...new Set(modelsOf(given))].filter((name) => !isFindable(name))

/** The file's settings for all judges of a stimulus (a case). */
export interface JudgeDefaults {
  /** The model that judges if a grader names none: the file's `judge_model`. */
  readonly model: string | null
  /** A patch that solves the stimulus: its `golden_patch`. Judges see this patch. */
  readonly patch: string | null
}

export const NO_DEFAULTS: JudgeDefaults = { model: null, patch: null }

/** Returns the config with the file's judge, if the config names none. */
export const withDefaultJudge = (given: Given, { model: one }: JudgeDefaults): Given =>
  one === null || modelsOf(given).length > 0 ? given : { ...given, model: one }

/** Returns the options of the judge grader. */
export function judgeOptionsFrom(given: Given, defaults: JudgeDefaults = NO_DEFAULTS): Json {
  const scale = SCALES[given.scoring ?? 'binary']
  const { threshold, aggregation } = given
  const models = modelsOf(given)
  return {
    ...judgesOf(models),
    ...(given.evidence?.includes('golden_patch') === false ? {} : exampleOf(defaults)),
    rubric: [{ id: 'prompt', text: given.prompt, ...(scale === null ? {} : { scale }) }],
    ...(threshold === undefined ? {} : { threshold: shareOf(threshold, scale) }),
    ...(aggregation === undefined
      ? {}
      : { aggregate: aggregation === 'average' ? 'mean' : aggregation }),
  }
}

/**
 * Returns all models, or none if one of them is named without a provider. A panel without some of its models would
 * be a different panel.
 */
const judgesOf = (models: readonly string[]): { judges: string[] } => ({
  judges: models.every(isFindable) ? [...models] : [],
})

const exampleOf = ({ patch }: JudgeDefaults): { instructions?: string } =>
  patch === null
    ? {}
    : {
        instructions: `A patch that solves the task, as an example. Other solutions may be as good:\n${patch}`,
      }

type Sentences = Readonly<
  Partial<Record<'name' | 'criterion' | 'description' | 'text', string | undefined>>
>

const sentenceOf = ({ description, criterion, text, name }: Sentences): string | undefined =>
  description ?? criterion ?? text ?? name

/** An entry of the `rubric` of a stimulus: a sentence, or a table that contains a sentence. */
const rubricEntry = z.union(
  [
    z.string().min(1),
    z
      .looseObject({
        name: z.string().optional(),
        criterion: z.string().optional(),
        description: z.string().optional(),
        text: z.string().optional(),
        weight: z.number().gt(0).optional(),
      })
      .refine((given) => sentenceOf(given) !== undefined, 'a table with a description'),
  ],
  'a sentence, or a table with a description and a weight',
)

export const evalYamlRubric = z.array(rubricEntry).min(1).max(50)

/** Returns the options of a judge that marks each entry of the rubric as met or not met. */
export const rubricOptions = (
  rubric: z.infer<typeof evalYamlRubric>,
  defaults: JudgeDefaults,
): Json => ({
  ...judgesOf(defaults.model === null ? [] : [defaults.model]),
  ...exampleOf(defaults),
  rubric: rubric.map((entry) => {
    if (typeof entry === 'string') return entry
    const { weight } = entry
    return { text: sentenceOf(entry) ?? '', ...(weight === undefined ? {} : { weight }) }
  }),
})

function shareOf(threshold: number, scale: readonly [number, number] | null): number {
  if (threshold <= 1 || scale === null) return Math.min(1, threshold)
  const [low, high] = scale
  return Math.min(1, (threshold - low) / (high - low))
}
