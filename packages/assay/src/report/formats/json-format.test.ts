import { readFileSync } from 'node:fs'
import { Validator, type Schema } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import { written } from '../../../test/written.ts'
import { json, reportJsonSchema } from './json-format.ts'
import { jsonText } from './json-text.ts'
import { reportSchema, type Report } from '../schema/report.ts'

const source = fakeSource(
  fakeTrials({ subjects: HOSTILE_NAMES, cases: ['one', 'two'], trials: 3 }),
  { notes: [...HOSTILE_NAMES] },
)
const COPY = new URL('../../../schemas/report.schema.json', import.meta.url)

/** Returns the same value with the keys of every object in reverse order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([key, one]) => [key, turned(one)]))
}

describe('report.json', () => {
  it('is the report, and valid by its published schema', async () => {
    const text = await written(json, source)
    expect(text.endsWith('}\n')).toBe(true)
    expect(text).not.toMatch(TERMINAL_CONTROLS)
    const value: unknown = JSON.parse(text)
    expect(value).toEqual(JSON.parse(JSON.stringify(source.report)))
    const validator = new Validator(reportJsonSchema() as Schema, '7')
    expect(validator.validate(value).errors).toEqual([])
    expect(validator.validate({ ...source.report, version: 2 }).valid).toBe(false)
    expect(validator.validate({ ...source.report, counts: { planned: -1 } }).valid).toBe(false)
  })

  it('has its keys in one order, however the report was made', async () => {
    const other = turned({
      ...source.report,
      provenance: {
        ...source.report.provenance,
        scoring: {
          version: 1,
          codeWeights: 0,
          compositeWeights: 0,
          grades: 0,
        },
      },
    }) as Report
    const same = reportSchema.parse(other)
    expect(await written(json, { ...source, report: other })).toBe(
      await written(json, { ...source, report: same }),
    )
    expect(
      Object.keys(JSON.parse(await written(json, { ...source, report: other })) as object)[0],
    ).toBe('assay')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', async (value) => {
    const report = { ...source.report, spentUsd: value }
    await expect(written(json, { ...source, report })).rejects.toThrow('spentUsd')
    expect(() => jsonText({ deep: [{ figure: value }] })).toThrow('"figure"')
  })

  it('writes an empty list and no report of nothing', async () => {
    expect(await written(json, fakeSource([]))).toContain('"subjects": []')
  })
})

describe('schemas/report.schema.json', () => {
  it('is what the schema says: `npm run schema` writes it anew', () => {
    expect(JSON.parse(readFileSync(COPY, 'utf8'))).toEqual(reportJsonSchema())
  })
})
