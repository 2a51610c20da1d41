/**
 * Assertions for two implementations of `expect`: every matcher with every kind of value. A case is a
 * function of the library, so that each library gets fresh values, its own mocks and its own asymmetric
 * matchers. Its name is the source text that a reader would write.
 */

type Method = (...args: unknown[]) => unknown

/** What `expect(value)` returns, without its types: the cases also call matchers wrongly. */
type Chain = Readonly<Record<string, Method>> &
  Readonly<Record<'not' | 'resolves' | 'rejects', Readonly<Record<string, Method>>>>

export type Expect = ((actual: unknown) => Chain) &
  Readonly<Record<string, Method>> & { readonly not: Readonly<Record<string, Method>> }

export interface TestLibrary {
  readonly expect: Expect
  readonly fn: (implementation?: Method) => Method
}

export interface ExpectCase {
  readonly name: string
  readonly run: (library: TestLibrary) => unknown
}

type Values = Readonly<Record<string, (library: TestLibrary) => unknown>>

class Point {
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
class Point3 extends Point {}
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
class NotFound extends Error {
  override readonly name = 'NotFound'
  readonly code: number
  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}
const TAG = Symbol('tag')
const other = Symbol.for('tag')
const named = (a: number): number => a

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
function sparse(length: number, ...entries: readonly (readonly [number, unknown])[]): unknown[] {
  const made: unknown[] = []
  made.length = length
  for (const [index, value] of entries) made[index] = value
  return made
}
const withExtra = (list: object): object => Object.assign(list, { extra: 1 })
const hiddenProperty = (): object =>
  Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false })

const PRIMITIVES: Values = {
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

const VALUES: Values = { ...PRIMITIVES, ...ARRAYS, ...OBJECTS, ...BUILT_IN }

const ASYMMETRIC: Values = {
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

/** Values of each kind, for what is tried with many arguments. */
const CORE: Values = Object.fromEntries(
  Object.entries(VALUES).filter(([name]) =>
    /^(?:undefined|null|true|0|1|0\.3|NaN|1n|'abc'|Symbol\('tag'\)|\[\]|\[1\]|\[,\]|\[2, 1\]|\[\{ a: 1 \}\]|\{\}|\{ a: (?:1|undefined|\{ b: 1 \}) \}|\{ \[tag\]: 1 \}|new Point\(1, 2\)|new Map\(\)|new Set\(\[1, 2\]\)|new Date\(0\)|\/a\/|new Error\('a'\)|new Uint8Array\(\[1, 2\]\)|new String\('abc'\)|new Number\(1\)|Promise\.resolve\(1\)|named\(\))$/.test(
      name,
    ),
  ),
)

/** Both ways of one assertion. */
function* assertions(
  actual: readonly [string, (library: TestLibrary) => unknown],
  matcher: string,
  args: readonly (readonly [string, (library: TestLibrary) => unknown])[],
): Generator<ExpectCase> {
  const [name, make] = actual
  const given = args.map(([text]) => text).join(', ')
  const call = (chain: Readonly<Record<string, Method>>, library: TestLibrary): unknown =>
    called(
      chain,
      matcher,
      args.map(([, value]) => value(library)),
    )
  yield {
    name: `expect(${name}).${matcher}(${given})`,
    run: (library) => call(library.expect(make(library)), library),
  }
  yield {
    name: `expect(${name}).not.${matcher}(${given})`,
    run: (library) => call(library.expect(make(library)).not, library),
  }
}

function called(
  chain: Readonly<Record<string, Method>>,
  matcher: string,
  args: readonly unknown[],
): unknown {
  if (typeof chain[matcher] !== 'function') throw new MissingMatcher(matcher)
  return chain[matcher](...args)
}

/** The library does not have the matcher at all. */
export class MissingMatcher extends Error {
  override readonly name = 'MissingMatcher'
}

function* crossed(
  actual: Values,
  matchers: readonly string[],
  expected: Values,
): Generator<ExpectCase> {
  for (const one of Object.entries(actual))
    for (const matcher of matchers)
      for (const two of Object.entries(expected)) yield* assertions(one, matcher, [two])
}

function* unary(values: Values, matchers: readonly string[]): Generator<ExpectCase> {
  for (const one of Object.entries(values))
    for (const matcher of matchers) yield* assertions(one, matcher, [])
}

const EQUALITY = ['toEqual', 'toStrictEqual', 'toMatchObject']
const NEAR = 8
const STATES = 'toBeTruthy toBeFalsy toBeNull toBeUndefined toBeNullable toBeDefined toBeNaN'.split(
  ' ',
)
const COMPARISONS = 'toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual'.split(
  ' ',
)

const THROWABLE: Values = {
  "new Error('abc')": () => new Error('abc'),
  "new TypeError('abc')": () => new TypeError('abc'),
  "new NotFound('abc', 1)": () => new NotFound('abc', 1),
  "new Error('abc', { cause: 1 })": () => new Error('abc', { cause: 1 }),
  "new Error('')": () => new Error(''),
  "'abc'": () => 'abc',
  '1': () => 1,
  undefined: () => undefined,
  null: () => null,
  "{ message: 'abc' }": () => ({ message: 'abc' }),
  "{ message: 'abc', code: 1 }": () => ({ message: 'abc', code: 1 }),
}

const THROWERS: Values = {
  '() => 1': () => () => 1,
  "'abc'": () => 'abc',
  undefined: () => undefined,
  "new Error('a')": () => new Error('a'),
  ...Object.fromEntries(
    Object.entries(THROWABLE).map(([name, value]) => [
      `() => { throw ${name} }`,
      (library: TestLibrary) => () => {
        throw value(library)
      },
    ]),
  ),
}

const THROWN: Values = {
  undefined: () => undefined,
  "''": () => '',
  "'b'": () => 'b',
  "'abc'": () => 'abc',
  "'x'": () => 'x',
  '/^abc$/': () => /^abc$/,
  '/x/': () => /x/,
  '/b/g': () => /b/g,
  Error: () => Error,
  TypeError: () => TypeError,
  RangeError: () => RangeError,
  NotFound: () => NotFound,
  Object: () => Object,
  "new Error('abc')": () => new Error('abc'),
  "new Error('ab')": () => new Error('ab'),
  "new Error('abc', { cause: 1 })": () => new Error('abc', { cause: 1 }),
  "new TypeError('abc')": () => new TypeError('abc'),
  "new NotFound('abc', 1)": () => new NotFound('abc', 1),
  "new NotFound('abc', 2)": () => new NotFound('abc', 2),
  "{ message: 'abc' }": () => ({ message: 'abc' }),
  '{}': () => ({}),
  '1': () => 1,
  null: () => null,
  'expect.any(Error)': ({ expect }) => expect['any']?.(Error),
  "expect.objectContaining({ message: 'abc' })": ({ expect }) =>
    expect['objectContaining']?.({ message: 'abc' }),
  "expect.stringContaining('b')": ({ expect }) => expect['stringContaining']?.('b'),
  'expect.anything()': ({ expect }) => expect['anything']?.(),
}

const MOCKS: Values = {
  'mock never called': ({ fn }) => fn(),
  'mock called once with 1, 2': ({ fn }) => {
    const mock = fn(() => 3)
    mock(1, 2)
    return mock
  },
  'mock called with {}, then with [1]': ({ fn }) => {
    const mock = fn((value) => value)
    mock({ a: 1, b: undefined })
    mock([1])
    return mock
  },
  'mock called with nothing, then with undefined': ({ fn }) => {
    const mock = fn()
    mock()
    mock(undefined)
    return mock
  },
  'mock that throws, then returns 1': ({ fn }) => {
    let calls = 0
    const mock = fn(() => {
      if (calls++ === 0) throw new Error('a')
      return 1
    })
    try {
      mock('a')
    } catch {
      // As it should.
    }
    mock('b')
    return mock
  },
  'mock that returns 1, then throws': ({ fn }) => {
    let calls = 0
    const mock = fn(() => {
      if (calls++ === 1) throw new Error('a')
      return 1
    })
    mock('a')
    try {
      mock('b')
    } catch {
      // As it should.
    }
    return mock
  },
  '() => 1': () => () => 1,
  undefined: () => undefined,
}

const MOCK_STATES =
  'toHaveBeenCalled toBeCalled toHaveBeenCalledOnce toHaveReturned toReturn'.split(' ')
const MOCK_COUNTS = 'toHaveBeenCalledTimes toBeCalledTimes toHaveReturnedTimes toReturnTimes'.split(
  ' ',
)
const MOCK_ARGS =
  'toHaveBeenCalledWith toBeCalledWith toHaveBeenCalledExactlyOnceWith toHaveBeenLastCalledWith lastCalledWith'.split(
    ' ',
  )
const MOCK_RESULTS = 'toHaveReturnedWith toReturnWith toHaveLastReturnedWith'.split(' ')
const MOCK_NTH = 'toHaveBeenNthCalledWith nthCalledWith toHaveNthReturnedWith'.split(' ')

const CALLS: readonly (readonly (readonly [string, (library: TestLibrary) => unknown])[])[] = [
  [],
  [['undefined', () => undefined]],
  [
    ['1', () => 1],
    ['2', () => 2],
  ],
  [['1', () => 1]],
  [['{ a: 1 }', () => ({ a: 1 })]],
  [['[1]', () => [1]]],
  [["'a'", () => 'a']],
  [['expect.anything()', ({ expect }) => expect['anything']?.()]],
  [
    ['1', () => 1],
    ['expect.any(Number)', ({ expect }) => expect['any']?.(Number)],
  ],
]

function* mockCases(): Generator<ExpectCase> {
  yield* unary(MOCKS, MOCK_STATES)
  const counts: Values = {
    '0': () => 0,
    '1': () => 1,
    '2': () => 2,
    "'1'": () => '1',
    undefined: () => undefined,
  }
  yield* crossed(MOCKS, MOCK_COUNTS, counts)
  yield* crossed(MOCKS, MOCK_RESULTS, {
    ...counts,
    '3': () => 3,
    '{ a: 1 }': () => ({ a: 1 }),
    "new Error('a')": () => new Error('a'),
    'expect.anything()': ({ expect }) => expect['anything']?.(),
  })
  for (const one of Object.entries(MOCKS)) {
    for (const matcher of MOCK_ARGS) for (const args of CALLS) yield* assertions(one, matcher, args)
    for (const matcher of MOCK_NTH)
      for (const nth of [0, 1, 2, 3, 1.5])
        for (const args of CALLS)
          yield* assertions(one, matcher, [[String(nth), () => nth], ...args])
  }
}

const PROMISES: Values = {
  'Promise.resolve(1)': () => Promise.resolve(1),
  'Promise.resolve(undefined)': () => Promise.resolve(undefined),
  "Promise.resolve(new Error('a'))": () => Promise.resolve(new Error('a')),
  'Promise.resolve(() => { throw 1 })': () =>
    Promise.resolve(() => {
      throw new Error('a')
    }),
  'Promise.resolve(() => 1)': () => Promise.resolve(() => 1),
  "Promise.reject(new Error('a'))": () => rejected(new Error('a')),
  "Promise.reject(new NotFound('a', 1))": () => rejected(new NotFound('a', 1)),
  'Promise.reject(1)': () => rejected(1),
  'Promise.reject(undefined)': () => rejected(undefined),
  'async () => 1': () => async () => 1,
  "async () => { throw new Error('a') }": () => async () => {
    throw new Error('a')
  },
  "() => { throw new Error('a') }": () => () => {
    throw new Error('a')
  },
  '{ then }': () => ({
    // oxlint-disable-next-line unicorn/no-thenable
    then: (resolve: (value: unknown) => void) => resolve(1),
  }),
  '1': () => 1,
  undefined: () => undefined,
  null: () => null,
}

/** A rejection that is nobody's fault before it is looked at. */
function rejected(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason)
  promise.catch(() => {})
  return promise
}

function* promiseCases(): Generator<ExpectCase> {
  const uses: readonly (readonly [string, string, Method | null])[] = [
    ['toBe', '1', () => 1],
    ['toBe', 'undefined', () => undefined],
    ['toEqual', "new Error('a')", () => new Error('a')],
    ['toBeUndefined', '', null],
    ['toBeInstanceOf', 'Error', () => Error],
    ['toMatchObject', "{ message: 'a' }", () => ({ message: 'a' })],
    ['toHaveProperty', "'code'", () => 'code'],
    ['toThrow', '', null],
    ['toThrow', "'a'", () => 'a'],
    ['toThrow', "'x'", () => 'x'],
    ['toThrow', '/a/', () => /a/],
    ['toThrow', 'Error', () => Error],
    ['toThrow', 'TypeError', () => TypeError],
    ['toThrow', "new Error('a')", () => new Error('a')],
    ['toThrowError', "'a'", () => 'a'],
    ['toBeGreaterThan', '0', () => 0],
  ]
  for (const [name, make] of Object.entries(PROMISES))
    for (const way of ['resolves', 'rejects'] as const)
      for (const not of [false, true])
        for (const [matcher, text, arg] of uses)
          yield {
            name: `expect(${name}).${way}.${not ? 'not.' : ''}${matcher}(${text})`,
            run(library) {
              const chain = library.expect(make(library))[way]
              const turned = not ? (chain['not'] as unknown as typeof chain) : chain
              return called(turned, matcher, arg === null ? [] : [arg()])
            },
          }
}

export function* expectCases(): Generator<ExpectCase> {
  const all = Object.entries(VALUES)
  // The lists have similar values next to each other.
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
