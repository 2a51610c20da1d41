/**
 * Assertions for two implementations of `expect`: every matcher with every kind of value. A case is a function of
 * the library, so that each library gets new values, its own mocks and its own asymmetric matchers. The name of a
 * case is the source text that a person would write.
 */
import { mockCases, promiseCases, THROWERS, THROWN } from './expect-calls.ts'
import { assertions, crossed, unary, type ExpectCase, type Values } from './expect-case.ts'
import {
  ASYMMETRIC,
  CORE,
  named,
  Point,
  Point3,
  PRIMITIVES,
  sparse,
  TAG,
  VALUES,
} from './expect-values.ts'

const EQUALITY = ['toEqual', 'toStrictEqual', 'toMatchObject']
const NEAR = 8
const STATES = 'toBeTruthy toBeFalsy toBeNull toBeUndefined toBeNullable toBeDefined toBeNaN'.split(
  ' ',
)
const COMPARISONS = 'toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual'.split(
  ' ',
)

export function* expectCases(): Generator<ExpectCase> {
  const all = Object.entries(VALUES)
  // In the lists, similar values are next to each other.
  for (const [index, one] of all.entries())
    for (const two of all.slice(Math.max(0, index - NEAR), index + NEAR))
      for (const matcher of EQUALITY) yield* assertions(one, matcher, [two])
  yield* crossed(CORE, EQUALITY, CORE)
  yield* crossed(PRIMITIVES, ['toBe'], VALUES)
  const same: Values = { Math: () => Math, named: () => named, Point: () => Point }
  yield* crossed(same, ['toBe', ...EQUALITY], same)
  yield* unary(VALUES, STATES)
  yield* crossed({ ...PRIMITIVES, '[1]': () => [1] }, COMPARISONS, PRIMITIVES)
  yield* crossed(VALUES, COMPARISONS, { '1': () => 1 })

  yield* crossed(
    { ...PRIMITIVES, '[1]': () => [1], 'new Date(1)': () => new Date(1) },
    ['toBeCloseTo'],
    PRIMITIVES,
  )
  for (const digits of [0, 1, 5, 16])
    for (const off of [0.4, 0.5, 0.6, 0.04, 0.05, 0.000_004, 0.000_005, 0])
      yield* assertions([String(1 + off), () => 1 + off], 'toBeCloseTo', [
        ['1', () => 1],
        [String(digits), () => digits],
      ])

  yield* crossed(VALUES, ['toContain'], {
    ...PRIMITIVES,
    named: () => named,
    "'b'": () => 'b',
    '[1]': () => [1],
  })
  yield* crossed(VALUES, ['toContainEqual'], {
    ...PRIMITIVES,
    '[1]': () => [1],
    '{ a: 1 }': () => ({ a: 1 }),
    "['a', 1]": () => ['a', 1],
    '{ a: undefined, b: 2 }': () => ({ a: undefined, b: 2 }),
  })
  yield* crossed(VALUES, ['toHaveLength'], {
    '0': () => 0,
    '1': () => 1,
    '2': () => 2,
    '3': () => 3,
    "'2'": () => '2',
    undefined: () => undefined,
    NaN: () => Number.NaN,
  })
  yield* propertyCases()
  yield* crossed(CORE, ['toMatch'], {
    "''": () => '',
    "'b'": () => 'b',
    "'x'": () => 'x',
    '/B/i': () => /B/i,
    '/x/': () => /x/,
    '/a/g': () => /a/g,
  })
  yield* crossed(CORE, ['toBeInstanceOf'], {
    Object: () => Object,
    Array: () => Array,
    Error: () => Error,
    Point: () => Point,
    Point3: () => Point3,
    Map: () => Map,
    Number: () => Number,
    String: () => String,
    Function: () => Function,
    Promise: () => Promise,
  })
  yield* crossed({ '1': () => 1, '{}': () => ({}) }, ['toBeInstanceOf'], {
    undefined: () => undefined,
    '{}': () => ({}),
    '() => 1': () => () => 1,
    '1': () => 1,
  })
  yield* crossed(
    VALUES,
    ['toBeTypeOf'],
    Object.fromEntries(
      [
        'undefined',
        'object',
        'boolean',
        'number',
        'bigint',
        'string',
        'symbol',
        'function',
        'null',
        'array',
      ].map((type) => [`'${type}'`, () => type]),
    ),
  )
  yield* crossed(CORE, ['toBeOneOf'], {
    '[]': () => [],
    '[1, 2]': () => [1, 2],
    '[NaN, -0, null]': () => [Number.NaN, -0, null],
    '[undefined]': () => [undefined],
    '[{ a: 1 }, [1]]': () => [{ a: 1 }, [1]],
    'new Set([1])': () => new Set([1]),
    'new Set([{ a: 1 }])': () => new Set([{ a: 1 }]),
    'new Set()': () => new Set(),
    '1': () => 1,
    "'abc'": () => 'abc',
    '[expect.any(Number)]': ({ expect }) => [expect['any']?.(Number)],
  })
  yield* crossed(CORE, ['toSatisfy'], {
    '() => true': () => () => true,
    '() => false': () => () => false,
    '() => 1': () => () => 1,
    '() => undefined': () => () => undefined,
    '(one) => one': () => (one: unknown) => one,
    '1': () => 1,
  })

  yield* crossed(THROWERS, ['toThrow', 'toThrowError'], THROWN)
  yield* unary(THROWERS, ['toThrow'])

  yield* crossed(CORE, EQUALITY, ASYMMETRIC)
  for (const [name, make] of Object.entries(ASYMMETRIC))
    for (const [value, given] of Object.entries(CORE))
      for (const matcher of ['toEqual'])
        yield* assertions(
          [`{ a: ${value}, b: 1 }`, (library) => ({ a: given(library), b: 1 })],
          matcher,
          [[`{ a: ${name}, b: 1 }`, (library) => ({ a: make(library), b: 1 })]],
        )
  yield* crossed(
    { '{}': () => ({}), '[]': () => [], '[,]': () => sparse(1), 'new Map()': () => new Map() },
    EQUALITY,
    {
      '{ a: expect.not.anything }': ({ expect }) => ({ a: expect.not['stringContaining']?.('x') }),
      '[expect.anything()]': ({ expect }) => [expect['anything']?.()],
    },
  )
  for (const matcher of ['toContain', 'toContainEqual', 'toBe'])
    yield* crossed(
      { '[1]': () => [1], "['abc']": () => ['abc'], "'abc'": () => 'abc' },
      [matcher],
      ASYMMETRIC,
    )

  yield* mockCases()
  yield* promiseCases()
}

function* propertyCases(): Generator<ExpectCase> {
  const deep: Values = {
    ...CORE,
    '{ a: { b: [{ c: 1 }] } }': () => ({ a: { b: [{ c: 1 }] } }),
    "{ a: { 'b.c': 1 } }": () => ({ a: { 'b.c': 1 } }),
    "{ 'a[0]': 1 }": () => ({ 'a[0]': 1 }),
    "{ '': 1 }": () => ({ '': 1 }),
  }
  const paths: Values = {
    "'a'": () => 'a',
    "'a.b'": () => 'a.b',
    "'a.b.0.c'": () => 'a.b.0.c',
    "'a.b[0].c'": () => 'a.b[0].c',
    "'a[0]'": () => 'a[0]',
    "'[0]'": () => '[0]',
    "'0'": () => '0',
    '0': () => 0,
    "'length'": () => 'length',
    "'sum'": () => 'sum',
    "'toString'": () => 'toString',
    "''": () => '',
    "['a', 'b', 0, 'c']": () => ['a', 'b', 0, 'c'],
    "['a.b']": () => ['a.b'],
    "['a', 'b.c']": () => ['a', 'b.c'],
    "['a']": () => ['a'],
    '[tag]': () => [TAG],
    tag: () => TAG,
    '[]': () => [],
    undefined: () => undefined,
  }
  yield* crossed(deep, ['toHaveProperty'], paths)
  const values: Values = {
    undefined: () => undefined,
    '1': () => 1,
    '{ b: 1 }': () => ({ b: 1 }),
    'expect.anything()': ({ expect }) => expect['anything']?.(),
  }
  for (const one of Object.entries(deep))
    for (const path of Object.entries(paths))
      for (const value of Object.entries(values))
        yield* assertions(one, 'toHaveProperty', [path, value])
}
