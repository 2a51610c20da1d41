import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { narrowed } from './narrowed-schema.ts'

/** More than `narrowed` waits for before it makes a schema. */
const OFTEN = 100

const schema = z.strictObject({
  id: z.string().min(1),
  size: z.number().default(3),
  late: z
    .string()
    .optional()
    .transform((value) => value ?? 'unset'),
  none: z.undefined().optional(),
  a: z.string().optional(),
  b: z.int().min(0).optional(),
  c: z.array(z.string()).max(2).optional(),
  d: z.strictObject({ x: z.number() }).optional(),
  e: z.boolean().optional(),
})

/** The schema that tables with these keys get after many of them. */
function narrowedFor(whole: z.ZodType, value: unknown): z.ZodType | null {
  let found: z.ZodType | null = null
  for (let i = 0; i < OFTEN; i++) found = narrowed(whole, value)
  return found
}

const valueOf = (parsed: z.ZodSafeParseResult<unknown>): unknown =>
  parsed.success ? { entries: Object.entries(parsed.data as object) } : 'refused'

describe('a narrowed schema', () => {
  it('accepts the same tables as the whole schema and returns the same data', () => {
    const anything = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined))
    const tables = fc.record(
      {
        id: fc.oneof({ weight: 4, arbitrary: fc.string({ minLength: 1 }) }, anything),
        size: fc.oneof(fc.double(), anything),
        late: anything,
        a: fc.oneof(fc.string(), anything),
        b: fc.oneof(fc.nat(), anything),
        c: fc.oneof(fc.array(fc.string(), { maxLength: 3 }), anything),
        d: fc.oneof(fc.record({ x: fc.double() }), anything),
        e: fc.oneof(fc.boolean(), anything),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    let compared = 0
    fc.assert(
      fc.property(tables, (table) => {
        // A new schema each time, so that the number of key sets is no limit.
        const whole = schema.clone()
        const narrow = narrowedFor(whole, table)
        if (narrow === null) return
        compared++
        expect(valueOf(narrow.safeParse(table))).toEqual(valueOf(whole.safeParse(table)))
      }),
      { numRuns: 300, seed: 16 },
    )
    expect(compared).toBeGreaterThan(200)
  })

  it('is made only for keys that many tables have had', () => {
    const whole = schema.clone()
    expect(narrowed(whole, { id: 'x' })).toBeNull()
    expect(narrowedFor(whole, { id: 'x' })).not.toBeNull()
    expect(narrowed(whole, { id: 'x', a: 'y' })).toBeNull()
  })

  it('is not made for tables with unknown keys', () => {
    expect(narrowedFor(schema.clone(), { id: 'x', f: 1 })).toBeNull()
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key${i}`, i]))
    expect(narrowedFor(schema.clone(), many)).toBeNull()
  })

  it('is not made for a schema that checks several keys together, or for other values', () => {
    const together = schema.refine(({ a, b }) => a !== undefined || b !== undefined)
    expect(narrowedFor(together, { id: 'x' })).toBeNull()
    expect(narrowedFor(z.string(), 'x')).toBeNull()
    expect(narrowedFor(schema.clone(), ['x'])).toBeNull()
    expect(narrowedFor(schema.clone(), null)).toBeNull()
  })

  it('stops with tables of ever different keys', () => {
    const whole = z.strictObject(
      Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, z.number().optional()])),
    )
    for (let i = 0; i < 100; i++) narrowed(whole, { [`k${i}`]: 1 })
    expect(narrowedFor(whole, { k150: 1 })).toBeNull()
    expect(narrowedFor(whole, { k1: 1 })).not.toBeNull()
  })
})
