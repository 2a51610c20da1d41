/** The values that assertions are tested with, of every kind. The name of each is its source text. */
import { type TestLibrary, type Values } from './expect-case.ts'

export class Point {
  readonly x: number
  readonly y: number
  constructor(x: number, y: number) {
    this.x = x
    this.y = y
  }
  get sum(): number {
    return this.x + this.y
  }
}
export class Point3 extends Point {}
class Hidden {
  readonly #secret: number
  constructor(secret: number) {
    this.#secret = secret
  }
  reveal(): number {
    return this.#secret
  }
}
class Countdown {
  readonly from: number
  constructor(from: number) {
    this.from = from
  }
  *[Symbol.iterator](): Generator<number> {
    for (let left = this.from; left > 0; left--) yield left
  }
}
class Stack extends Array<number> {}
export class NotFound extends Error {
  override readonly name = 'NotFound'
  readonly code: number
  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}
export const TAG = Symbol('tag')
const other = Symbol.for('tag')
export const named = (a: number): number => a

function cyclic(label: string): object {
  const made: Record<string, unknown> = { label }
  made['self'] = made
  return made
}
function unrolled(label: string): object {
  const made: Record<string, unknown> = { label }
  made['self'] = { label, self: made }
  return made
}
function cyclicArray(): unknown[] {
  const made: unknown[] = [1]
  made.push(made)
  return made
}
export function sparse(
  length: number,
  ...entries: readonly (readonly [number, unknown])[]
): unknown[] {
  const made: unknown[] = []
  made.length = length
  for (const [index, value] of entries) made[index] = value
  return made
}
const withExtra = (list: object): object => Object.assign(list, { extra: 1 })
const hiddenProperty = (): object =>
  Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false })

export const PRIMITIVES: Values = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  '0': () => 0,
  '-0': () => -0,
  '1': () => 1,
  '2': () => 2,
  '0.1 + 0.2': () => 0.1 + 0.2,
  '0.3': () => 0.3,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-Infinity': () => Number.NEGATIVE_INFINITY,
  '1n': () => 1n,
  '2n': () => 2n,
  "''": () => '',
  "'1'": () => '1',
  "'abc'": () => 'abc',
  "Symbol('tag')": () => TAG,
  "Symbol.for('tag')": () => other,
}

const ARRAYS: Values = {
  '[]': () => [],
  '[1]': () => [1],
  '[1, 2]': () => [1, 2],
  '[2, 1]': () => [2, 1],
  "['1']": () => ['1'],
  '[-0]': () => [-0],
  '[0]': () => [0],
  '[NaN]': () => [Number.NaN],
  '[undefined]': () => [undefined],
  '[,]': () => sparse(1),
  '[1, , 2]': () => sparse(3, [0, 1], [2, 2]),
  '[1, undefined, 2]': () => [1, undefined, 2],
  '[[1], { a: 1 }]': () => [[1], { a: 1 }],
  '[{ a: 1, b: 2 }]': () => [{ a: 1, b: 2 }],
  '[{ a: 1 }]': () => [{ a: 1 }],
  'Object.assign([1], { extra: 1 })': () => withExtra([1]),
  'new Stack(1, 2)': () => Stack.from([1, 2]),
  'cyclicArray()': () => cyclicArray(),
}

const OBJECTS: Values = {
  '{}': () => ({}),
  '{ a: 1 }': () => ({ a: 1 }),
  '{ a: 1, b: 2 }': () => ({ a: 1, b: 2 }),
  '{ b: 2, a: 1 }': () => ({ b: 2, a: 1 }),
  "{ a: '1' }": () => ({ a: '1' }),
  '{ a: undefined }': () => ({ a: undefined }),
  '{ a: 1, b: undefined }': () => ({ a: 1, b: undefined }),
  '{ a: null }': () => ({ a: null }),
  '{ a: { b: 1 } }': () => ({ a: { b: 1 } }),
  '{ a: { b: 1, c: 2 } }': () => ({ a: { b: 1, c: 2 } }),
  '{ a: [1, 2] }': () => ({ a: [1, 2] }),
  '{ a: [{ b: 1, c: 2 }] }': () => ({ a: [{ b: 1, c: 2 }] }),
  '{ a: [{ b: 1 }] }': () => ({ a: [{ b: 1 }] }),
  '{ [tag]: 1 }': () => ({ [TAG]: 1 }),
  '{ [tag]: 2 }': () => ({ [TAG]: 2 }),
  '{ [tag]: undefined }': () => ({ [TAG]: undefined }),
  '{ 0: 1, length: 1 }': () => ({ 0: 1, length: 1 }),
  '{ length: 2 }': () => ({ length: 2 }),
  "{ length: '2' }": () => ({ length: '2' }),
  '{ get a() }': () => ({
    get a() {
      return 1
    },
  }),
  '{ a: 1, b: hidden }': hiddenProperty,
  'Object.create(null)': () => Object.create(null) as object,
  'Object.create({ a: 1 })': () => Object.create({ a: 1 }) as object,
  "{ constructor: 'x' }": () => ({ constructor: 'x' }),
  "{ 'a.b': 1 }": () => ({ 'a.b': 1 }),
  'cyclic()': () => cyclic('a'),
  'unrolled()': () => unrolled('a'),
  'new Point(1, 2)': () => new Point(1, 2),
  'new Point(1, 3)': () => new Point(1, 3),
  '{ x: 1, y: 2 }': () => ({ x: 1, y: 2 }),
  'new Point3(1, 2)': () => new Point3(1, 2),
  'new Hidden(1)': () => new Hidden(1),
  'new Hidden(2)': () => new Hidden(2),
  'new Countdown(2)': () => new Countdown(2),
  'new Countdown(3)': () => new Countdown(3),
  '(() => arguments)(1, 2)': () =>
    (function () {
      // oxlint-disable-next-line prefer-rest-params
      return arguments
    })(...([1, 2] as unknown as [])),
}

const BUILT_IN: Values = {
  'new Map()': () => new Map(),
  'new Map([[1, 2]])': () => new Map([[1, 2]]),
  'new Map([[1, 3]])': () => new Map([[1, 3]]),
  'new Map([[1, undefined]])': () => new Map([[1, undefined]]),
  'new Map([[2, undefined]])': () => new Map([[2, undefined]]),
  'new Map([[{ a: 1 }, { b: undefined }]])': () => new Map([[{ a: 1 }, { b: undefined }]]),
  'new Map([[{ a: 1 }, {}]])': () => new Map([[{ a: 1 }, {}]]),
  "new Map([['a', 1], ['b', 2]])": () =>
    new Map([
      ['a', 1],
      ['b', 2],
    ] as const),
  "new Map([['b', 2], ['a', 1]])": () =>
    new Map([
      ['b', 2],
      ['a', 1],
    ] as const),
  'new Set()': () => new Set(),
  'new Set([1, 2])': () => new Set([1, 2]),
  'new Set([2, 1])': () => new Set([2, 1]),
  'new Set([[1], [2]])': () => new Set([[1], [2]]),
  'new Set([{ a: 1 }])': () => new Set([{ a: 1 }]),
  'new Set([{ a: 1, b: undefined }])': () => new Set([{ a: 1, b: undefined }]),
  'new Set([{ a: 1 }, { a: 1 }])': () => new Set([{ a: 1 }, { a: 1 }]),
  'new Set([{ a: 1 }, { a: 2 }])': () => new Set([{ a: 1 }, { a: 2 }]),
  'Object.assign(new Set([1, 2]), { extra: 1 })': () => withExtra(new Set([1, 2])),
  'new Date(0)': () => new Date(0),
  'new Date(1)': () => new Date(1),
  'new Date(NaN)': () => new Date(Number.NaN),
  'Object.assign(new Date(0), { extra: 1 })': () => withExtra(new Date(0)),
  '/a/g': () => /a/g,
  '/a/': () => /a/,
  "new Error('a')": () => new Error('a'),
  "new Error('b')": () => new Error('b'),
  "new TypeError('a')": () => new TypeError('a'),
  "new Error('a', { cause: 1 })": () => new Error('a', { cause: 1 }),
  "new Error('a', { cause: 2 })": () => new Error('a', { cause: 2 }),
  "new NotFound('a', 1)": () => new NotFound('a', 1),
  "new NotFound('a', 2)": () => new NotFound('a', 2),
  "new AggregateError([1], 'a')": () => new AggregateError([1], 'a'),
  "new AggregateError([2], 'a')": () => new AggregateError([2], 'a'),
  "{ name: 'Error', message: 'a' }": () => ({ name: 'Error', message: 'a' }),
  'new Uint8Array([1, 2])': () => new Uint8Array([1, 2]),
  'new Uint8Array([1, 3])': () => new Uint8Array([1, 3]),
  'new Uint16Array([1, 2])': () => new Uint16Array([1, 2]),
  'Buffer.from([1, 2])': () => Buffer.from([1, 2]),
  'new Float64Array([0])': () => new Float64Array([0]),
  'new Float64Array([-0])': () => new Float64Array([-0]),
  'new Float64Array([NaN])': () => new Float64Array([Number.NaN]),
  'new BigInt64Array([1n])': () => new BigInt64Array([1n]),
  'new Uint8Array([1]).buffer': () => new Uint8Array([1]).buffer,
  'new Uint8Array([2]).buffer': () => new Uint8Array([2]).buffer,
  'new DataView(new ArrayBuffer(1))': () => new DataView(new ArrayBuffer(1)),
  'new DataView(new ArrayBuffer(2))': () => new DataView(new ArrayBuffer(2)),
  "new URL('http://a.b/c')": () => new URL('http://a.b/c'),
  "new URL('http://a.b/d')": () => new URL('http://a.b/d'),
  'new Number(1)': () => Object(1) as object,
  'new Number(2)': () => Object(2) as object,
  "new String('abc')": () => Object('abc') as object,
  "new String('abd')": () => Object('abd') as object,
  'new Boolean(false)': () => Object(false) as object,
  'Object(1n)': () => Object(1n) as object,
  'Object(2n)': () => Object(2n) as object,
  'Promise.resolve(1)': () => Promise.resolve(1),
  'new WeakMap()': () => new WeakMap(),
  '[1, 2].values()': () => [1, 2].values(),
  '[1, 3].values()': () => [1, 3].values(),
  'named()': () => named,
  '() => 1': () => () => 1,
  Point: () => Point,
  Math: () => Math,
}

export const VALUES: Values = { ...PRIMITIVES, ...ARRAYS, ...OBJECTS, ...BUILT_IN }

export const ASYMMETRIC: Values = {
  'expect.anything()': ({ expect }) => expect['anything']?.(),
  ...Object.fromEntries(
    (
      [
        ['Number', Number],
        ['String', String],
        ['Boolean', Boolean],
        ['BigInt', BigInt],
        ['Symbol', Symbol],
        ['Function', Function],
        ['Object', Object],
        ['Array', Array],
        ['Date', Date],
        ['Error', Error],
        ['Point', Point],
      ] as const
    ).map(([name, type]) => [
      `expect.any(${name})`,
      ({ expect }: TestLibrary) => expect['any']?.(type),
    ]),
  ),
  ...both('arrayContaining', {
    '[]': () => [],
    '[1]': () => [1],
    '[2, 1]': () => [2, 1],
    '[{ a: 1 }]': () => [{ a: 1 }],
    '[undefined]': () => [undefined],
  }),
  ...both('objectContaining', {
    '{}': () => ({}),
    '{ a: 1 }': () => ({ a: 1 }),
    '{ a: undefined }': () => ({ a: undefined }),
    '{ a: { b: 1 } }': () => ({ a: { b: 1 } }),
    '{ x: 1 }': () => ({ x: 1 }),
    '{ length: 1 }': () => ({ length: 1 }),
    "{ message: 'a' }": () => ({ message: 'a' }),
    '{ [tag]: 1 }': () => ({ [TAG]: 1 }),
    '{ sum: 3 }': () => ({ sum: 3 }),
    '{ a: expect.any(Number) }': ({ expect }) => ({ a: expect['any']?.(Number) }),
  }),
  ...both('stringContaining', { "''": () => '', "'b'": () => 'b', '1': () => 1 }),
  ...both('stringMatching', {
    "'^a'": () => '^a',
    '/B/i': () => /B/i,
    '/a/g': () => /a/g,
    '1': () => 1,
  }),
  ...both('closeTo', {
    '0.3': () => 0.3,
    Infinity: () => Number.POSITIVE_INFINITY,
    '1': () => 1,
    "'1'": () => '1',
  }),
}

function both(matcher: string, args: Values): Values {
  const made: Record<string, (library: TestLibrary) => unknown> = {}
  for (const [arg, value] of Object.entries(args)) {
    made[`expect.${matcher}(${arg})`] = (library) => library.expect[matcher]?.(value(library))
    made[`expect.not.${matcher}(${arg})`] = (library) =>
      library.expect.not[matcher]?.(value(library))
  }
  return made
}

/** Some values of each kind, for tests with many arguments. */
export const CORE: Values = Object.fromEntries(
  Object.entries(VALUES).filter(([name]) =>
    /^(?:undefined|null|true|0|1|0\.3|NaN|1n|'abc'|Symbol\('tag'\)|\[\]|\[1\]|\[,\]|\[2, 1\]|\[\{ a: 1 \}\]|\{\}|\{ a: (?:1|undefined|\{ b: 1 \}) \}|\{ \[tag\]: 1 \}|new Point\(1, 2\)|new Map\(\)|new Set\(\[1, 2\]\)|new Date\(0\)|\/a\/|new Error\('a'\)|new Uint8Array\(\[1, 2\]\)|new String\('abc'\)|new Number\(1\)|Promise\.resolve\(1\)|named\(\))$/.test(
      name,
    ),
  ),
)
