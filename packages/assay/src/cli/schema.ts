/** `assay schema`: the JSON Schema of suites or of `assay.toml`, for editors, and of `report.json`. */
import { z } from 'zod'
import type { Grader } from '../grade/index.ts'
import { suiteJsonSchema } from '../suite/index.ts'
import type { Output } from './output.ts'
import { settingsSchema } from './settings.ts'

export interface SchemaOptions {
  /** Of suites unless given. */
  readonly of?: 'suite' | 'settings' | 'report'
  /** All graders unless given. */
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
  if (of === 'report') return (await import('../report/index.ts')).reportJsonSchema()
  return suiteJsonSchema(graders ?? (await import('../grade/index.ts')).graders)
}

function settingsJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(settingsSchema, { target: 'draft-07', io: 'input' })
  return { ...schema, title: 'Assay settings' }
}
