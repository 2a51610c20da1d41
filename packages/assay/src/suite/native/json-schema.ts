/**
 * Generates the JSON Schema of Assay's own suite format, for editors, from the same zod schemas that validate suites.
 * The options of each grader are merged with the keys that all graders have, and `type` distinguishes the graders. It
 * uses Draft 7, which the language servers for TOML and YAML support best.
 */
import { z } from 'zod'
import type { SuiteGrader } from './suite-grader.ts'
import { takesTurn } from './grading.ts'
import { graderSchema, suiteSchema, turnSchema } from './schema.ts'

type JsonSchema = Record<string, unknown>

const GRADER = '#/definitions/grader'

export function suiteJsonSchema(graders: readonly SuiteGrader[]): JsonSchema {
  const suite = jsonSchema(suiteSchema)
  const cases = properties(suite)['cases']
  const item = cases?.['items'] as JsonSchema
  item['oneOf'] = [{ required: ['prompt'] }, { required: ['turns'] }]
  for (const holder of [suite, item]) {
    const list = properties(holder)['graders']
    if (list !== undefined) list['items'] = { $ref: GRADER }
  }
  return {
    ...suite,
    anyOf: [{ required: ['cases'] }, { required: ['data', 'template'] }],
    title: 'Assay suite',
    definitions: { grader: { oneOf: graders.map(graderJsonSchema) } },
  }
}

function graderJsonSchema(grader: SuiteGrader): JsonSchema {
  const { properties: common } = jsonSchema(graderSchema)
  const { $schema: _, ...options } = jsonSchema(grader.options)
  const shared = {
    ...(common as JsonSchema),
    type: { const: grader.type, description: grader.summary },
    ...(takesTurn(grader) ? { turn: withoutSchema(jsonSchema(turnSchema)) } : {}),
  }
  const members = grader.combines === true ? properties(options)['graders'] : undefined
  if (members !== undefined) members['items'] = { $ref: GRADER }
  return beside(options, shared)
}

/**
 * Returns a grader's options merged with the keys that all graders have. If the schema of the options is a choice of
 * several tables, each table is merged.
 */
function beside(options: JsonSchema, shared: JsonSchema): JsonSchema {
  for (const choice of ['anyOf', 'oneOf'] as const) {
    const branches = options[choice]
    if (Array.isArray(branches) && options['properties'] === undefined)
      return { ...options, [choice]: branches.map((branch: JsonSchema) => beside(branch, shared)) }
  }
  const required = Array.isArray(options['required']) ? (options['required'] as string[]) : []
  return {
    ...options,
    properties: { ...shared, ...(options['properties'] as JsonSchema | undefined) },
    required: ['type', ...required],
  }
}

function withoutSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema
  return rest
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-07',
    io: 'input',
    unrepresentable: 'any',
  })
}

const properties = (schema: JsonSchema): Record<string, JsonSchema> =>
  schema['properties'] as Record<string, JsonSchema>
