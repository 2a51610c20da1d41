/**
 * Registers the tests of a test file and runs them one after another. `node:test`, vitest, jest and mocha all use
 * this registry. It has suites with hooks, and tests with unique names. Skipped and todo tests are listed, but count
 * neither as passed nor as failed. A test with subtests is one test, which fails if a subtest fails.
 */
import { checkPlan, contextOf, mochaThis, Skipped, type Running } from './context.ts'
import { explained } from './shown.ts'
import { called, type Body, type Style } from './style.ts'

export type Hook = 'before' | 'after' | 'beforeEach' | 'afterEach'

interface Hooked {
  readonly body: Body
  readonly style: Style
}

interface Suite {
  readonly name: string
  readonly parent: Suite | null
  readonly hooks: Record<Hook, Hooked[]>
  readonly skip: boolean
  readonly only: boolean
  /** The `this` of mocha's hooks and tests. */
  readonly self: object
  began: boolean
  failed: string | null
}

interface Registered {
  readonly suite: Suite
  readonly name: string
  readonly body: Body
  readonly style: Style
  readonly only: boolean
  readonly fails: boolean
  readonly retry: number
}

export interface Marks {
  readonly skip?: boolean
  readonly only?: boolean
  /** Whether the test is expected to fail. It then passes if its body throws. */
  readonly fails?: boolean
  /** How many times a failed test is run again. */
  readonly retry?: number
}

export type Report = (index: number, passed: boolean, message?: string) => void

/** The test that is running now. Functions of the test libraries that get no context use it. */
type Current = Pick<Running, 'after' | 'onFailed' | 'fullName'>

export class Registry {
  readonly #root: Suite = suite('', null, {})
  #at = this.#root
  #tests: Registered[] = []
  /** A failure while the test runs, but outside of its body, for example in a timer or an unhandled rejection. */
  #stray: string | null = null
  readonly #skipped: string[] = []
  /** Whether any test was registered, even a skipped one. */
  touched = false
  current: Current | null = null
  /** Returns properties that the test library adds to the context of a test. */
  extras: Running['extras'] = () => ({})

  describe(name: string, body: (self: object) => unknown, marks: Marks): unknown {
    this.touched = true
    const outer = this.#at
    const inner = suite(name, outer, marks)
    this.#at = inner
    let result: unknown
    try {
      result = body.call(inner.self, inner.self)
    } finally {
      // An asynchronous suite registers tests until its promise settles, so it stays the current suite until then.
      if (isThenable(result)) result = Promise.resolve(result).finally(() => (this.#at = outer))
      else this.#at = outer
    }
    return result
  }

  test(name: string, body: Body, marks: Marks, style: Style = 'global'): void {
    this.touched = true
    if (marks.skip === true || within(this.#at).some((one) => one.skip)) {
      this.skip(name)
      return
    }
    const { only = false, fails = false, retry = 0 } = marks
    this.#tests.push({ suite: this.#at, name, body, style, only, fails, retry })
  }

  /** Records a test that is skipped. */
  skip(name: string): void {
    this.touched = true
    this.#skipped.push(fullName(this.#at, name))
  }

  hook(kind: Hook, body: Body, style: Style): void {
    this.#at.hooks[kind].push({ body, style })
  }

  /** Names of tests that are marked as skipped, or that do not run because other tests are marked with `only`. */
  get skipped(): string[] {
    const chosen = new Set(this.#chosen())
    const left = this.#tests.filter((test) => !chosen.has(test))
    return [...this.#skipped, ...left.map((test) => fullName(test.suite, test.name))]
  }

  #chosen(): Registered[] {
    const only = this.#tests.filter(
      (test) => test.only || within(test.suite).some((one) => one.only),
    )
    return only.length > 0 ? only : this.#tests
  }

  /** Returns the unique names of all tests that will run. */
  names(): string[] {
    const seen = new Map<string, number>()
    return this.#chosen().map(({ suite: at, name }) => {
      const full = fullName(at, name)
      const count = (seen.get(full) ?? 0) + 1
      seen.set(full, count)
      return count === 1 ? full : `${full} (${count})`
    })
  }

  stray(message: string): void {
    this.#stray ??= message
  }

  /**
   * Runs all tests. `stopped` returns the reason why no further test should run, or null. `ending` rejects as soon as
   * there is such a reason, so that a waiting test ends.
   */
  async run(report: Report, stopped: () => string | null, ending: Promise<never>): Promise<void> {
    const tests = this.#chosen()
    for (const [index, test] of tests.entries()) {
      const why = stopped()
      if (why !== null) {
        report(index, false, why)
        continue
      }
      let message: string | null = null
      for (let left = test.retry; left >= 0 && stopped() === null; left--) {
        this.#stray = null
        message = await this.#runOne(test, ending)
        if (message === null) message = this.#stray
        if (test.fails) message = message === null ? 'was expected to fail and did not' : null
        if (message === null) break
      }
      const left = await this.#leave(test.suite, tests[index + 1]?.suite ?? null, ending)
      message ??= left
      // The solution's process may have ended. It ended during this test, so this test fails.
      message ??= stopped()
      if (message === null) report(index, true)
      else report(index, false, message)
    }
  }

  async #runOne(test: Registered, ending: Promise<never>): Promise<string | null> {
    const suites = within(test.suite)
    const after: (() => unknown)[] = []
    const running: Running = {
      name: test.name,
      fullName: fullName(test.suite, test.name),
      style: test.style,
      after,
      onFailed: [],
      started: [],
      extras: this.extras,
    }
    const attempt = async (what: () => Promise<unknown>): Promise<string | null> => {
      try {
        await Promise.race([what(), ending])
        return null
      } catch (error) {
        return error instanceof Skipped ? null : explained(error)
      }
    }
    this.current = running
    for (const one of suites) {
      if (!one.began) {
        one.began = true
        one.failed = await attempt(() => prepared(one, 'before', {}, one.hooks.after))
      }
      if (one.failed !== null) return one.failed
    }
    const context = contextOf(running)
    const undo: Hooked[] = []
    let message = await attempt(async () => {
      for (const one of suites) await prepared(one, 'beforeEach', context, undo)
      await called(test.body, test.style, context, selfOf(test))
      // Wait for subtests that the test did not await. They may add further subtests to this list.
      for (const one of running.started) await one
      checkPlan(context)
    })
    for (const one of undo.toReversed())
      message = (await attempt(() => called(one.body, one.style, context))) ?? message
    for (const one of suites.toReversed())
      message = (await attempt(() => all(one, 'afterEach', context))) ?? message
    for (const hook of after.toReversed()) message = (await attempt(async () => hook())) ?? message
    if (message !== null) for (const hook of running.onFailed) await attempt(async () => hook())
    this.current = null
    return message
  }

  /**
   * Runs the `after` hooks of the suites that have no further test. If such a hook fails, the last test of the suite
   * fails.
   */
  async #leave(from: Suite, next: Suite | null, ending: Promise<never>): Promise<string | null> {
    const staying = new Set(next === null ? [] : within(next))
    let message: string | null = null
    for (const one of within(from).toReversed()) {
      if (staying.has(one) || !one.began) continue
      try {
        await Promise.race([all(one, 'after', {}), ending])
      } catch (error) {
        message ??= `after the last test: ${explained(error)}`
      }
    }
    return message
  }
}

function suite(name: string, parent: Suite | null, { skip = false, only = false }: Marks): Suite {
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] }
  const self = mochaThis(parent?.self ?? null, name)
  return { name, parent, hooks, skip, only, self, began: false, failed: null }
}

const fullName = (at: Suite, name: string): string =>
  [...within(at).map((one) => one.name), name].filter((part) => part !== '').join(' > ')

const selfOf = ({ suite: at, name }: Registered): object =>
  Object.assign(at.self, { test: { title: name, fullTitle: () => fullName(at, name) } })

/** Returns the suite and all suites around it, outermost first. */
function within(at: Suite): Suite[] {
  const list: Suite[] = []
  for (let one: Suite | null = at; one !== null; one = one.parent) list.unshift(one)
  return list
}

/**
 * Runs the `before` or `beforeEach` hooks of a suite. In vitest, a hook may return a function that undoes its effects.
 * Such functions are added to `undo`.
 */
async function prepared(
  at: Suite,
  kind: 'before' | 'beforeEach',
  context: object,
  undo: Hooked[],
): Promise<void> {
  for (const { body, style } of at.hooks[kind]) {
    const made = await called(body, style, context, at.self)
    if (typeof made === 'function' && (style === 'vitest' || style === 'global'))
      undo.push({ body: () => (made as () => unknown)(), style })
  }
}

/**
 * Runs the `after` or `afterEach` hooks of a suite. vitest runs them in reverse order, other libraries in the order in
 * which they were registered.
 */
async function all(at: Suite, kind: 'after' | 'afterEach', context: object): Promise<void> {
  const hooks = at.hooks[kind]
  const isReversed = hooks.some(({ style }) => style === 'vitest')
  for (const { body, style } of isReversed ? hooks.toReversed() : hooks)
    await called(body, style, context, at.self)
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function'
