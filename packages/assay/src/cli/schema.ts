/** `assay schema`: the JSON Schema of suites or of `assay.toml`, for editors. */
import { z } from 'zod'
import type { Grader } from '../grade/index.ts'
import { suiteJsonSchema } from '../suite/index.ts'
import type { Output } from './output.ts'
import { settingsSchema } from './settings.ts'

export interface SchemaOptions {
  /** Of suites unless given. */
  readonly of?: 'suite' | 'settings'
  /** All graders unless given. */
  readonly graders?: readonly Grader[]
}

export async function schemaCommand(
  options: SchemaOptions,
  output: Pick<Output, 'out'>,
): Promise<number> {
  const schema =
    options.of === 'settings'
      ? settingsJsonSchema()
      : suiteJsonSchema(options.graders ?? (await import('../grade/index.ts')).graders)
  output.out(`${JSON.stringify(schema, null, 2)}\n`)
  return 0
}

function settingsJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(settingsSchema, { target: 'draft-07', io: 'input' })
  return { ...schema, title: 'Assay settings' }
}
