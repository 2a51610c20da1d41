/** `assay schema`: prints a JSON Schema of a file format, for editors, or the one of `report.json`. */
import { z } from 'zod'
import { gatesSchema } from '../../../compare/index.ts'
import { experimentSchema } from '../../../experiment/index.ts'
import type { Grader } from '../../../grade/index.ts'
import { suiteJsonSchema } from '../../../suite/index.ts'
import type { Output } from '../../output/output.ts'
import { settingsSchema } from '../../settings/settings.ts'
import type { SchemaName } from './names.ts'

export interface SchemaOptions {
  /** Which schema to print. Default: the schema of suites. */
  readonly of?: SchemaName
  /** The graders in the schema. Default: all. */
  readonly graders?: readonly Grader[]
}

export async function schemaCommand(
  options: SchemaOptions,
  output: Pick<Output, 'out'>,
): Promise<number> {
  output.out(await schemaText(options))
  return 0
}

export async function schemaText(options: SchemaOptions): Promise<string> {
  return `${JSON.stringify(await schemaOf(options), null, 2)}\n`
}

async function schemaOf({ of = 'suite', graders }: SchemaOptions): Promise<unknown> {
  switch (of) {
    case 'settings':
      return jsonSchema(settingsSchema, 'Assay settings')
    case 'experiment':
      return jsonSchema(experimentSchema, 'Assay experiment')
    case 'gates':
      return jsonSchema(gatesSchema, 'Assay gates')
    case 'report':
      return (await import('../../../report/index.ts')).reportJsonSchema()
    default:
      of satisfies 'suite'
      return suiteJsonSchema(graders ?? (await import('../../../grade/index.ts')).graders)
  }
}

/**
 * Converts a zod schema to JSON Schema. It uses Draft 7, which the language servers for TOML and YAML support best.
 */
function jsonSchema(schema: z.ZodType, title: string): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { target: 'draft-07', io: 'input' }), title }
}
