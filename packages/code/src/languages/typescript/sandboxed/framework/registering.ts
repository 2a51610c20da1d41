/** The functions that register tests and suites, with their variants: `skip`, `only`, `each`, `extend` and others. */
import { isSet } from './context.ts'
import { eachOf } from './each.ts'
import { extended, type Fixtures } from './fixtures.ts'
import { Refused, refusing } from './refused.ts'
import { shown } from './shown.ts'
import type { Marks, Registry } from './suite.ts'
import { called, type Body, type Style } from './style.ts'

export type Register = Record<string, unknown> & ((...given: unknown[]) => unknown)

interface Options {
  readonly skip?: unknown
  readonly todo?: unknown
  readonly only?: unknown
  readonly fails?: unknown
  readonly retry?: unknown
  readonly repeats?: unknown
}

type Add = (name: string, body: Body, marks: Marks) => unknown

/** Runs the body of a test, and does work before and after it, such as counting its assertions. */
export type Around = (run: () => Promise<unknown>) => Promise<unknown>

/** Creates a function that registers tests or suites, together with its variants. */
function registering(registry: Registry, name: string, style: Style, add: Add): Register {
  const plain = (marks: Marks) =>
    function register(...given: unknown[]): unknown {
      const body = given.find(
        (one, index) => typeof one === 'function' && (index > 0 || given.length === 1),
      ) as Body | undefined
      const options =
        given.find((one): one is Options => typeof one === 'object' && one !== null) ?? {}
      const title = titleOf(given[0])
      if (body === undefined) {
        registry.skip(title)
        return undefined
      }
      if (isSet(options.repeats) && options.repeats !== 0) throw new Refused(`${name}({ repeats })`)
      return add(title, body, {
        skip: marks.skip === true || isSet(options.skip) || isSet(options.todo),
        // `node --test` ignores `only` unless it is started with `--test-only`, so `only` is ignored here too.
        only: style !== 'node' && (marks.only === true || isSet(options.only)),
        fails: marks.fails === true || isSet(options.fails),
        retry: retryOf(options.retry),
      })
    }
  const full = (marks: Marks): Register => {
    const register = Object.assign(plain(marks), {
      each: (table: unknown, ...values: unknown[]) => eachOf(register, table, values, false),
      for: (table: unknown, ...values: unknown[]) => eachOf(register, table, values, true),
    }) as unknown as Register
    const variant = (more: Marks): PropertyDescriptor => ({
      get: () => full({ ...marks, ...more }),
      configurable: true,
    })
    const chosen = (isRun: (condition: unknown) => boolean): PropertyDescriptor => ({
      get: () => (condition: unknown) => full(isRun(condition) ? marks : { ...marks, skip: true }),
      configurable: true,
    })
    return Object.defineProperties(register, {
      skip: variant({ skip: true }),
      todo: variant({ skip: true }),
      only: variant({ only: true }),
      fails: variant({ fails: true }),
      failing: variant({ fails: true }),
      concurrent: variant({}),
      sequential: variant({}),
      shuffle: variant({}),
      skipIf: chosen((condition) => !condition),
      runIf: chosen(Boolean),
    })
  }
  return full({})
}

const titleOf = (given: unknown): string => {
  if (typeof given === 'function') return given.name
  return typeof given === 'string' ? given : given === undefined ? '' : shown(given)
}

const retryOf = (given: unknown): number => {
  const count = typeof given === 'object' && given !== null ? Reflect.get(given, 'count') : given
  return typeof count === 'number' ? Math.min(10, Math.max(0, count)) : 0
}

export interface Registers {
  readonly test: Register
  readonly describe: Register
  readonly hooks: Readonly<Record<string, (...given: unknown[]) => void>>
}

/** Creates the registering functions of one test library. */
export function registersOf(registry: Registry, style: Style, around: Around): Registers {
  const testWith = (fixtures: Fixtures | null): Register => {
    const bound = (body: Body): Body => (fixtures === null ? body : fixtures.bound(body, style))
    const test = registering(registry, 'test', style, (name, body, marks) => {
      const inner = bound(body)
      const counted = function (this: object, ...[context = {}]: [object?, ...unknown[]]): unknown {
        return around(() => called(inner, style, context, this))
      }
      registry.test(name, counted, marks, style)
      return Promise.resolve()
    })
    return Object.assign(test, {
      extend: (first: unknown, second?: unknown, third?: unknown) =>
        testWith(extended(fixtures, first, second, third)),
      ...hooksOf(registry, style, bound),
      describe,
      suite: describe,
    })
  }
  const describe = registering(registry, 'describe', style, (name, body, marks) =>
    registry.describe(name, body, marks),
  )
  const test = testWith(null)
  return {
    test: refusing(test, 'test'),
    describe: refusing(describe, 'describe'),
    hooks: hooksOf(registry, style, (body) => body),
  }
}

function hooksOf(
  registry: Registry,
  style: Style,
  bound: (body: Body) => Body,
): Record<string, (...given: unknown[]) => void> {
  const hook =
    (kind: Parameters<Registry['hook']>[0]) =>
    // In mocha, a hook may have a title before its function.
    (...given: unknown[]): void => {
      const body = given.find((one) => typeof one === 'function') as Body | undefined
      if (body === undefined) throw new TypeError('a hook needs a function')
      registry.hook(kind, bound(body), style)
    }
  return {
    before: hook('before'),
    after: hook('after'),
    beforeAll: hook('before'),
    afterAll: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  }
}
