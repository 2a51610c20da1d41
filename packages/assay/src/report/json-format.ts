/**
 * `report.json`: the report as data, keys in the order of its schema. The published JSON Schema is made
 * from the same schema; `schemas/report.schema.json` is a copy of it that a test keeps in step.
 */
import { z } from 'zod'
import type { ReportFormat } from './format.ts'
import { jsonText, putList } from './json-text.ts'
import { reportSchema } from './report.ts'

export const json: ReportFormat = {
  name: 'json',
  description: 'every figure as data (assay schema report describes it)',
  matches: (path) => path.endsWith('.json'),
  write: async ({ report }, put) => {
    // Parsing puts the keys into the schema's order, and refuses what the schema does not allow.
    const entries = Object.entries(reportSchema.parse(report))
    for (const [i, [key, value]] of entries.entries()) {
      put(`${i === 0 ? '{' : ','}\n  ${JSON.stringify(key)}: `)
      if (Array.isArray(value)) putList(put, value, 1)
      else put(jsonText(value, 1))
    }
    put('\n}\n')
  },
}

/** Names the format and its version; nothing is served there. */
const SCHEMA_ID = 'urn:assay:report:1'

/** The JSON Schema of report.json. */
export function reportJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(reportSchema, { target: 'draft-07', io: 'output' })
  return {
    $schema,
    $id: SCHEMA_ID,
    title: 'Assay report',
    description:
      'What a run says, version 1. Figures with an uncertainty are metrics: a value, over how many members, with an interval. Figures under "spec" are those of the documents that define them.',
    ...schema,
  }
}
