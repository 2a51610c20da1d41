/**
 * Registers the tests of a test file and runs them one after another. `node:test`, vitest and jest all use this:
 * suites with hooks, and tests with unique names. Skipped and todo tests are listed but not counted. A test with
 * subtests is one test, and fails if one of them fails.
 */
import { explained } from './shown.ts'

export type Body = (context: TestContext, done?: (error?: unknown) => void) => unknown

export interface TestContext {
  readonly name: string
  test(name: unknown, ...rest: unknown[]): Promise<void>
  /** Registers a hook that runs when the test is over. */
  after(hook: () => unknown): void
  skip(): void
}

export type Hook = 'before' | 'after' | 'beforeEach' | 'afterEach'

interface Suite {
  readonly name: string
  readonly parent: Suite | null
  readonly hooks: Record<Hook, Body[]>
  readonly skip: boolean
  readonly only: boolean
  began: boolean
  failed: string | null
}

interface Registered {
  readonly suite: Suite
  readonly name: string
  readonly body: Body
  readonly only: boolean
  readonly fails: boolean
}

export interface Marks {
  readonly skip?: boolean
  readonly only?: boolean
  /** Whether the test passes if its body throws. */
  readonly fails?: boolean
}

/** Thrown by a test that skips itself. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

export type Report = (index: number, passed: boolean, message?: string) => void

export class Registry {
  readonly #root: Suite = suite('', null, {})
  #at = this.#root
  #tests: Registered[] = []
  /** A failure outside of the test's body while it runs, such as in a timer or an unhandled rejection. */
  #stray: string | null = null
  /** Whether anything was registered, even if it is skipped. */
  touched = false
  /** Names of tests that are marked to be skipped. */
  readonly skipped: string[] = []

  describe(name: string, body: () => unknown, marks: Marks): unknown {
    this.touched = true
    const outer = this.#at
    const inner = suite(name, outer, marks)
    this.#at = inner
    let result: unknown
    try {
      result = body()
    } finally {
      // An asynchronous suite keeps registering tests into itself until it is done.
      if (isThenable(result)) result = Promise.resolve(result).finally(() => (this.#at = outer))
      else this.#at = outer
    }
    return result
  }

  test(name: string, body: Body, marks: Marks): void {
    this.touched = true
    if (marks.skip === true || skipped(this.#at)) {
      this.skipped.push(
        [
          ...within(this.#at)
            .slice(1)
            .map((one) => one.name),
          name,
        ].join(' > '),
      )
      return
    }
    const { only = false, fails = false } = marks
    this.#tests.push({ suite: this.#at, name, body, only, fails })
  }

  hook(kind: Hook, body: Body): void {
    this.#at.hooks[kind].push(body)
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
      const full = [...within(at).map((one) => one.name), name]
        .filter((part) => part !== '')
        .join(' > ')
      const count = (seen.get(full) ?? 0) + 1
      seen.set(full, count)
      return count === 1 ? full : `${full} (${count})`
    })
  }

  stray(message: string): void {
    this.#stray ??= message
  }

  /**
   * Runs all tests. `stopped` returns why no further test should run, or null. `ending` rejects as soon as there is
   * such a reason, which ends a waiting test.
   */
  async run(report: Report, stopped: () => string | null, ending: Promise<never>): Promise<void> {
    const tests = this.#chosen()
    for (const [index, test] of tests.entries()) {
      const why = stopped()
      if (why !== null) {
        report(index, false, why)
        continue
      }
      this.#stray = null
      let message = await this.#runOne(test, ending)
      if (message === null) message = this.#stray
      if (test.fails) message = message === null ? 'was expected to fail and did not' : null
      const left = await this.#leave(test.suite, tests[index + 1]?.suite ?? null, ending)
      message ??= left
      // If the solution has ended, it ended during this test.
      message ??= stopped()
      if (message === null) report(index, true)
      else report(index, false, message)
    }
  }

  async #runOne(test: Registered, ending: Promise<never>): Promise<string | null> {
    const suites = within(test.suite)
    const after: (() => unknown)[] = []
    const attempt = async (what: () => Promise<unknown>): Promise<string | null> => {
      try {
        await Promise.race([what(), ending])
        return null
      } catch (error) {
        return error instanceof Skipped ? null : explained(error)
      }
    }
    for (const one of suites) {
      if (!one.began) {
        one.began = true
        one.failed = await attempt(() => all(one.hooks.before))
      }
      if (one.failed !== null) return one.failed
    }
    let message = await attempt(async () => {
      for (const one of suites) await all(one.hooks.beforeEach)
      const started: Promise<void>[] = []
      await called(test.body, contextOf(test.name, after, started))
      // Subtests that were not awaited may start further ones.
      for (const one of started) await one
    })
    for (const one of suites.toReversed())
      message = (await attempt(() => all(one.hooks.afterEach))) ?? message
    for (const hook of after.toReversed()) message = (await attempt(async () => hook())) ?? message
    return message
  }

  /** Runs the final hooks of suites that have no further test. A failure there counts for the last test. */
  async #leave(from: Suite, next: Suite | null, ending: Promise<never>): Promise<string | null> {
    const staying = new Set(next === null ? [] : within(next))
    let message: string | null = null
    for (const one of within(from).toReversed()) {
      if (staying.has(one) || !one.began) continue
      try {
        await Promise.race([all(one.hooks.after), ending])
      } catch (error) {
        message ??= `after the last test: ${explained(error)}`
      }
    }
    return message
  }
}

function suite(name: string, parent: Suite | null, { skip = false, only = false }: Marks): Suite {
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] }
  return { name, parent, hooks, skip, only, began: false, failed: null }
}

/** Returns the suites around, outermost first. */
function within(at: Suite): Suite[] {
  const list: Suite[] = []
  for (let one: Suite | null = at; one !== null; one = one.parent) list.unshift(one)
  return list
}

const skipped = (at: Suite): boolean => within(at).some((one) => one.skip)

async function all(hooks: readonly Body[]): Promise<void> {
  for (const hook of hooks) await called(hook, contextOf('', [], []))
}

/** jest passes `done` as the first argument, `node:test` after the context. */
const DONE_FIRST = /^(?:async\s+)?(?:function\s*\w*\s*)?\(?\s*done\b/

/** Runs a body, including one that takes a `done` callback. */
export function called(body: Body, context: TestContext): Promise<unknown> {
  const first = body.length === 1 && DONE_FIRST.test(Function.prototype.toString.call(body))
  if (body.length >= 2 || first)
    return new Promise<unknown>((resolve, reject) => {
      const done = (error?: unknown): void => {
        if (error === undefined || error === null) resolve(undefined)
        else reject(error)
      }
      const result = first
        ? (body as unknown as (done: unknown) => unknown)(done)
        : body(context, done)
      Promise.resolve(result).catch(reject)
    })
  return new Promise((resolve) => resolve(body(context)))
}

function contextOf(name: string, after: (() => unknown)[], started: Promise<void>[]): TestContext {
  const subtest = async (title: string, body: Body): Promise<void> => {
    try {
      await called(body, contextOf(title, after, started))
    } catch (error) {
      throw new Error(`${title}: ${explained(error)}`, { cause: error })
    }
  }
  const context: TestContext & Record<string, unknown> = {
    name,
    test(title, ...rest) {
      const body = rest.find((one) => typeof one === 'function') as Body | undefined
      const options = rest.find((one) => typeof one === 'object' && one !== null)
      if (body === undefined || (options !== undefined && ('skip' in options || 'todo' in options)))
        return Promise.resolve()
      const running = subtest(String(title), body)
      // Its failure fails the test, whether the test awaits it or not.
      running.catch(() => {})
      started.push(running)
      return running
    },
    after: (hook) => void after.push(hook),
    skip() {
      throw new Skipped('skipped')
    },
    diagnostic() {},
    todo() {},
    plan() {},
  }
  return Object.assign(context, {
    it: (...given: [unknown, ...unknown[]]) => context.test(...given),
  })
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function'
