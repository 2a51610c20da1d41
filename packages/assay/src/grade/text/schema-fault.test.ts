import { describe, expect, it } from 'vitest'
import { schemaFault } from './schema-fault.ts'

describe('schemaFault', () => {
  it.each([
    true,
    {},
    { type: ['string', 'null'], pattern: '^a+$', $comment: 'fine', examples: [{ id: 1 }] },
    { properties: { type: { type: 'string' }, properties: { minLength: 1 } } },
    { $ref: '#/$defs/node', $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } } },
    { $id: 'https://example.com/a', items: { $ref: '#' } },
    { $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: true, minimum: 0 },
    { enum: Array.from({ length: 50 }, (_, id) => ({ id, $ref: 'x' })) },
    { $defs: { a: { $anchor: 'here' } }, $ref: '#here' },
  ])('has nothing against %o', (schema) => {
    expect(schemaFault(schema)).toBeNull()
  })

  it.each([
    [[], 'a JSON Schema is a table, true or false'],
    [{ type: 'text' }, '/type must be array'],
    [{ properties: { a: { type: 'text' } } }, '/properties/a/type must be'],
    [{ anyOf: [{}, { items: [{ minLength: -1 }] }] }, '/anyOf/1/items/0/minLength must be'],
    [{ properties: { type: 'string' } }, '/properties must be a table of schemas'],
    [{ required: 'a' }, '/required must be a list of texts'],
    [{ pattern: '(' }, '/pattern must be a regular expression'],
    [{ patternProperties: { '[': {} } }, '/patternProperties/[ is not a regular expression'],
    [{ $ref: '#/$defs/x' }, '$ref "#/$defs/x" refers to nothing'],
    [{ $ref: 'https://example.com/other' }, 'refers to nothing'],
    [{ $ref: '#' }, 'refers to itself without end'],
    [{ allOf: [{ $ref: '#' }] }, 'refers to itself without end'],
    [{ $schema: 'https://example.com/mine' }, '$schema must name'],
  ])('finds what is wrong with %o', (schema, fault) => {
    expect(schemaFault(schema)).toContain(fault)
  })

  it('finds a circle that is first met from further inside', () => {
    // The cycle a → c → a has no end, because both references apply to the same value. The path a → b → property
    // x → c ends, because each round goes one level deeper into the value.
    const schema = {
      $ref: '#/$defs/a',
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/c' }] },
        b: { properties: { x: { $ref: '#/$defs/c' } } },
        c: { $ref: '#/$defs/a' },
      },
    }
    expect(schemaFault(schema)).toContain('refers to itself without end')
  })

  it('returns at once from schemas made to be slow to read', () => {
    let ids: unknown = { $id: 'https://example.com/0' }
    let deep: unknown = {}
    for (let i = 1; i < 60; i++) ids = { $id: `https://example.com/${i}`, not: ids }
    for (let i = 0; i < 5000; i++) deep = { not: deep }
    expect(schemaFault(ids)).toContain('with an $id are nested')
    expect(schemaFault(deep)).toContain('nested too deep')
    const doubling: Record<string, unknown> = { d0: {} }
    for (let i = 1; i < 100; i++) {
      const $ref = `#/$defs/d${i - 1}`
      doubling[`d${i}`] = { anyOf: [{ $ref }, { $ref }] }
    }
    expect(schemaFault({ $defs: doubling, $ref: '#/$defs/d99' })).toBeNull()
  })

  it('leaves the schema as it was', () => {
    const schema = Object.freeze({
      $ref: '#/$defs/a',
      $defs: Object.freeze({ a: Object.freeze({}) }),
    })
    expect(schemaFault(schema)).toBeNull()
    expect(Object.getOwnPropertyNames(schema)).toEqual(['$ref', '$defs'])
  })
})
