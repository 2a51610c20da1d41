/**
 * Writes `report.json`: the report as data, with keys in the order of its schema. The published JSON Schema is
 * generated from the same schema. `schemas/report.schema.json` is a copy of the JSON Schema, and a test fails if the
 * copy is out of date.
 */
import { z } from 'zod'
import type { ReportFormat } from './format.ts'
import { jsonText, putList } from './json-text.ts'
import { reportSchema } from '../schema/report.ts'

export const json: ReportFormat = {
  name: 'json',
  description: 'every figure as data (assay schema report describes it)',
  write: async ({ report }, put) => {
    // Parsing with the schema puts the keys into the schema's order and rejects invalid values. Subjects are the
    // largest part of a report, so they are parsed and written one at a time to save memory.
    const { subjects, ...rest } = report
    const parsed = reportSchema.omit({ subjects: true }).parse(rest)
    const rowSchema = reportSchema.shape.subjects.element
    const keys = Object.keys(reportSchema.shape).filter(
      (key) => key === 'subjects' || parsed[key as keyof typeof parsed] !== undefined,
    )
    for (const [i, key] of keys.entries()) {
      put(`${i === 0 ? '{' : ','}\n  ${JSON.stringify(key)}: `)
      if (key === 'subjects') putList(put, subjects, 1, (row) => rowSchema.parse(row))
      else put(jsonText(parsed[key as keyof typeof parsed], 1))
    }
    put('\n}\n')
  },
}

/** Identifies the format and its version. It is a URN, not a web address. */
const SCHEMA_ID = 'urn:assay:report:1'

/** Returns the JSON Schema of `report.json`. */
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
