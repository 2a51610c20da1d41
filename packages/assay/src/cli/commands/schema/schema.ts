/**
 * `assay schema`: prints the JSON Schema of suites, experiments or `assay.toml` (for editors), or of `report.json`.
 */
import { z } from 'zod'
import { experimentSchema } from '../../../experiment/index.ts'
import type { Grader } from '../../../grade/index.ts'
import { suiteJsonSchema } from '../../../suite/index.ts'
import type { Output } from '../../output/output.ts'
import { settingsSchema } from '../../settings/settings.ts'

export interface SchemaOptions {
  /** Which schema to print. Default: the one of suites. */
  readonly of?: 'suite' | 'experiment' | 'settings' | 'report'
  /** The graders in the schema. Default: all. */
  readonly graders?: readonly Grader[]
}

export async function schemaCommand(
  options: SchemaOptions,
  output: Pick<Output, 'out'>,
): Promise<number> {
  output.out(`${JSON.stringify(await schemaOf(options), null, 2)}\n`)
  return 0
}

async function schemaOf({ of = 'suite', graders }: SchemaOptions): Promise<unknown> {
  if (of === 'settings') return settingsJsonSchema()
  if (of === 'experiment') return experimentJsonSchema()
  if (of === 'report') return (await import('../../../report/index.ts')).reportJsonSchema()
  return suiteJsonSchema(graders ?? (await import('../../../grade/index.ts')).graders)
}

function settingsJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(settingsSchema, { target: 'draft-07', io: 'input' })
  return { ...schema, title: 'Assay settings' }
}

function experimentJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(experimentSchema, { target: 'draft-07', io: 'input' })
  return { ...schema, title: 'Assay experiment' }
}
