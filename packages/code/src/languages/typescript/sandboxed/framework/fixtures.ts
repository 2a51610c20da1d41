/**
 * Fixtures of `test.extend`: values that a test requests by name in the braces of its first parameter. A fixture is
 * either a value, or a function that prepares a value, passes it to `use`, and cleans up when `use` returns. A
 * fixture is prepared only for tests that request it. If it requests other fixtures, these are prepared first.
 */
import { Refused } from './refused.ts'
import { called, type Body, type Style } from './style.ts'

type Make = (context: object, use: (value: unknown) => Promise<void>) => unknown

interface Fixture {
  readonly make: Make | null
  readonly value: unknown
  readonly auto: boolean
  /** Whether `make` returns the value. Otherwise it passes the value to `use`. */
  readonly returns: boolean
}

export interface Fixtures {
  readonly all: ReadonlyMap<string, Fixture>
  /** Returns a body that prepares the fixtures, runs the given body and cleans up when the test is over. */
  bound(body: Body, style: Style): Body
}

export function extended(
  base: Fixtures | null,
  first: unknown,
  second: unknown,
  third: unknown,
): Fixtures {
  const all = new Map(base?.all)
  if (typeof first === 'string') {
    const [options, value] = third === undefined ? [{}, second] : [second, third]
    all.set(first, fixtureOf(value, options, true))
  } else
    for (const [name, given] of Object.entries(Object(first) as object)) {
      const isPair = Array.isArray(given) && given.length === 2 && isOptions(given[1])
      all.set(name, isPair ? fixtureOf(given[0], given[1], false) : fixtureOf(given, {}, false))
    }
  return { all, bound: (body, style) => boundTo(all, body, style) }
}

const isOptions = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  Object.keys(given).every((key) => ['auto', 'scope', 'injected'].includes(key)) &&
  Object.keys(given).length > 0

function fixtureOf(value: unknown, options: unknown, returns: boolean): Fixture {
  const { auto = false, scope = 'test' } = Object(options) as { auto?: unknown; scope?: unknown }
  if (scope !== 'test') throw new Refused(`a fixture with the scope ${String(scope)}`)
  const make = typeof value === 'function' ? (value as Make) : null
  return { make, value, auto: auto === true, returns }
}

/**
 * The prepared fixtures of each test. The key is the context of the test, which its hooks get too, so that hooks and
 * test share the fixtures.
 */
const prepared = new WeakMap<object, Map<string, unknown>>()

function boundTo(all: ReadonlyMap<string, Fixture>, body: Body, style: Style): Body {
  const wanted = namesAsked(body)
  // This function has only a rest parameter, so its `length` is 0. With a greater `length`, the registry would pass
  // it a `done` callback.
  return async function (this: object, ...[context = {}]: [object?, ...unknown[]]) {
    const values = prepared.get(context) ?? new Map<string, unknown>()
    prepared.set(context, values)
    const undo: (() => Promise<void>)[] = []
    const view = viewOf(all, context, values)
    const prepare = async (name: string, above: readonly string[]): Promise<void> => {
      const fixture = all.get(name)
      if (fixture === undefined || values.has(name) || above.includes(name)) return
      if (fixture.make === null) {
        values.set(name, fixture.value)
        return
      }
      for (const other of namesAsked(fixture.make)) await prepare(other, [...above, name])
      values.set(name, await (fixture.returns ? returned : used)(fixture.make, view, undo))
    }
    const names = [...all].filter(([name, one]) => one.auto || wanted.includes(name))
    const end = async (): Promise<void> => {
      for (const one of undo.toReversed()) await one()
    }
    // Clean up when the test is over, not when this function returns. A hook may have prepared the fixtures for the
    // test.
    ;(context as { after?: (hook: () => unknown) => void }).after?.(end)
    for (const [name] of names) await prepare(name, [])
    return called(body, style, view, this)
  }
}

function viewOf(
  all: ReadonlyMap<string, Fixture>,
  context: object,
  values: ReadonlyMap<string, unknown>,
): object {
  const view: object = Object.create(context) as object
  for (const name of all.keys())
    Object.defineProperty(view, name, { get: () => values.get(name), enumerable: true })
  return view
}

type Undo = (() => Promise<void>)[]

/** Runs a fixture function until it passes its value to `use`. The rest of the function runs after the test. */
function used(make: Make, view: object, undo: Undo): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const over = Promise.withResolvers<void>()
    const work = Promise.resolve(
      make(view, (value) => {
        resolve(value)
        return over.promise
      }),
    )
    work.then(() => reject(new Error('the fixture did not call use()')), reject)
    undo.push(async () => {
      over.resolve()
      await work
    })
  })
}

async function returned(make: Make, view: object, undo: Undo): Promise<unknown> {
  const onCleanup = (hook: () => unknown): void =>
    void undo.push(async () => {
      await hook()
    })
  return (make as unknown as (view: object, more: object) => unknown)(view, { onCleanup })
}

/** Returns the names in the braces of a function's first parameter. */
function namesAsked(body: unknown): string[] {
  const source = Function.prototype.toString.call(body)
  const [, list = ''] =
    /^(?:async\s+)?(?:function\s*\*?\s*[\w$]*\s*|[\w$]+\s*(?=\())?\(\s*\{([^}]*)\}/u.exec(source) ??
    []
  return list
    .split(',')
    .map((part) => (part.split(/[:=]/)[0] ?? '').trim())
    .filter((name) => name !== '' && !name.startsWith('...'))
}
