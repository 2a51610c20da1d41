/** Assertions about thrown errors, mocks and promises. */
import {
  assertions,
  called,
  crossed,
  unary,
  type ExpectCase,
  type Method,
  type TestLibrary,
  type Values,
} from './expect-case.ts'
import { NotFound } from './expect-values.ts'

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

export const THROWERS: Values = {
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

export const THROWN: Values = {
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
      // The assertion holds.
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
      // The assertion holds.
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

export function* mockCases(): Generator<ExpectCase> {
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

/** A rejection that is not reported as unhandled before the assertion sees it. */
function rejected(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason)
  promise.catch(() => {})
  return promise
}

export function* promiseCases(): Generator<ExpectCase> {
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
