/**
 * The test libraries that a test file imports or uses as globals: `node:test`, vitest, jest, mocha and chai. They share
 * one registry of tests, one `expect` and one implementation of mock functions.
 */
import { chaiModule, loadChai, type Chai } from './chai.ts'
import { makeExpect, type Expecting } from './expect.ts'
import { nodeMocks } from './node-mock.ts'
import { refusing } from './refused.ts'
import { registersOf, type Around, type Registers } from './registering.ts'
import type { Registry } from './suite.ts'
import type { Style } from './style.ts'
import { makeVi, needsProcess, type InProcess } from './vi.ts'

type Names = Record<string, unknown>

export interface Library {
  /** Returns the library's module for an import specifier; undefined if it is not a test library. */
  module(specifier: string): Names | undefined
  /** The globals of all test libraries. */
  readonly globals: Readonly<Names>
  /**
   * Globals whose names are common words, such as `context`. A test file gets one only if it registers tests or hooks
   * with it, because the solution may have a function of the same name.
   */
  readonly commonWords: Readonly<Names>
  /** Returns what chai's `value.should` would return. */
  readonly shouldOf: (value: unknown) => unknown
  dispose(): void
}

export interface Making {
  readonly registry: Registry
  /** Features that work only if the tests run in the solution's process; null if they run in another process. */
  readonly beside: InProcess | null
  readonly asserted: () => void
  /** Called before each assertion, to restore built-ins that the solution has changed. */
  readonly before?: (() => void) | undefined
  /** Returns the `node:assert` that tests get. */
  readonly assert: () => object
  /** The chai library, if it was loaded before the solution; null if it is loaded when first used. */
  readonly chai: Chai | null
}

export function makeLibrary(making: Making): Library {
  const { registry, beside, asserted, before } = making
  const { module: chai, shouldOf } = chaiModule(
    () => making.chai ?? loadChai(before ?? (() => {}), asserted),
  )
  const own = makeExpect({
    asserted,
    ...(before === undefined ? {} : { before }),
    chai: () => chai() as unknown as Chai,
    currentTestName: () => registry.current?.fullName,
  } satisfies Expecting)
  const { expect } = own
  const counted: Around = async (run) => {
    own.begin()
    const result = await run()
    await own.end()
    return result
  }
  const made = new Map<Style, Registers>()
  const registers = (style: Style): Registers => {
    const known = made.get(style) ?? registersOf(registry, style, counted)
    made.set(style, known)
    return known
  }
  const clock = (): InProcess['clock'] => beside?.clock ?? needsProcess('mock timers')
  const mock = nodeMocks(clock)
  registry.extras = (count) => {
    return { mock: nodeMocks(clock), assert: counting(making.assert(), count), expect }
  }
  const vi = makeVi('vi', beside)
  const jest = makeVi('jest', beside)
  const onTest = (what: 'after' | 'onFailed') => (hook: () => unknown) => {
    if (registry.current === null) throw new Error('there is no test that runs')
    registry.current[what].push(hook)
  }

  const bdd = (style: Style): Names => {
    const { test, describe, hooks } = registers(style)
    return { test, it: test, describe, suite: describe, ...hooks }
  }
  const forNode = (): Names => {
    const names: Names = { ...bdd('node'), mock }
    return { ...names, default: Object.assign(registers('node').test, names) }
  }
  const forVitest = (): Names => ({
    ...bdd('vitest'),
    expect,
    vi: vi.vi,
    vitest: vi.vi,
    onTestFinished: onTest('after'),
    onTestFailed: onTest('onFailed'),
    expectTypeOf: () => typesOnly,
    assertType() {},
    createExpect: () => expect,
    get assert() {
      return chai()['assert']
    },
    get chai() {
      return chai()
    },
    get should() {
      return chai()['should']
    },
  })
  const skipped = (style: Style): Names => {
    const { test, describe } = registers(style)
    return {
      xit: test['skip'],
      xtest: test['skip'],
      xdescribe: describe['skip'],
      fit: test['only'],
      fdescribe: describe['only'],
    }
  }
  const forJest = (style: Style): Names => ({
    ...bdd(style),
    ...skipped(style),
    expect,
    jest: jest.vi,
  })
  const forMocha = (style: Style): Names => {
    const { test, describe, hooks } = registers(style)
    const { before: first, after: last, beforeEach, afterEach } = hooks
    return {
      ...bdd(style),
      context: describe,
      specify: test,
      setup: beforeEach,
      teardown: afterEach,
      suiteSetup: first,
      suiteTeardown: last,
      xit: test['skip'],
      xspecify: test['skip'],
      xdescribe: describe['skip'],
      xcontext: describe['skip'],
    }
  }
  const chaiNames = (): Names => chai()
  /** Handles the modules `chai/register-*`. They export nothing and only define globals. */
  const registered = (): Names => {
    chai()
    return {}
  }
  const makers: Readonly<Record<string, () => Names>> = {
    'node:test': forNode,
    test: forNode,
    vitest: forVitest,
    '@jest/globals': () => forJest('jest'),
    'bun:test': () => ({ ...forJest('jest'), mock: (vi.vi as Names)['fn'], vi: vi.vi }),
    mocha: () => forMocha('mocha'),
    chai: chaiNames,
    'chai/register-expect': registered,
    'chai/register-should': registered,
    'chai/register-expect.js': registered,
    'chai/register-should.js': registered,
  }
  const modules = new Map<string, Names>()
  const global = 'global'
  return {
    module(specifier) {
      const known = modules.get(specifier)
      if (known !== undefined) return known
      const make = Object.hasOwn(makers, specifier) ? makers[specifier] : undefined
      if (make === undefined) return undefined
      const names = make()
      const module = 'default' in names ? names : Object.assign(names, { default: names })
      modules.set(specifier, module)
      return module
    },
    globals: { ...bdd(global), expect, vi: vi.vi, jest: jest.vi },
    commonWords: { ...forMocha(global), ...skipped(global) },
    shouldOf,
    dispose() {
      vi.dispose()
      jest.dispose()
    },
  }
}

/** The names of modules that test libraries provide. */
export const LIBRARIES: ReadonlySet<string> = new Set([
  'node:test',
  'test',
  'vitest',
  '@jest/globals',
  'bun:test',
  'mocha',
  'chai',
  'chai/register-expect',
  'chai/register-should',
  'chai/register-expect.js',
  'chai/register-should.js',
])

/**
 * A stub for assertions about types, such as `expectTypeOf`. Only the compiler can check them, so they do nothing
 * when the tests run.
 */
const typesOnly: unknown = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' ? undefined : typesOnly),
  apply: () => typesOnly,
})

/** Returns the assertions of a `node:test` context (`t.assert`). Each call is counted for `t.plan`. */
function counting(assert: object, count: () => void): object {
  const made: Names = {}
  for (const [name, one] of Object.entries(assert))
    made[name] =
      typeof one === 'function' && name !== 'AssertionError'
        ? (...args: unknown[]): unknown => {
            count()
            return (one as (...all: unknown[]) => unknown)(...args)
          }
        : (one as unknown)
  return refusing(made, 't.assert')
}
