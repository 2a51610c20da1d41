/**
 * The values that a test gets from its test library: the context of `node:test` and vitest, which is the first
 * argument, and mocha's context, which is `this`.
 */
import { explained } from './shown.ts'
import { called, type Body, type Style } from './style.ts'

/** Thrown when a test skips itself while it runs. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

export interface Running {
  readonly name: string
  readonly fullName: string
  readonly style: Style
  /** Hooks that run when the test is over. */
  readonly after: (() => unknown)[]
  /** Hooks that run when the test has failed. */
  readonly onFailed: (() => unknown)[]
  /** The subtests that were started. If one of them fails, the test fails, even if it does not await the subtest. */
  readonly started: Promise<void>[]
  /** Returns properties that the test library adds to the context: mocks, assertions and `expect`. */
  readonly extras: (counted: () => void) => object
}

/** The number of assertions that `t.plan` demands, and the number so far. */
interface Plan {
  wanted: number | null
  count: number
}

const plans = new WeakMap<object, Plan>()

/** Throws if the number of assertions in the test is not the number that `t.plan` demands. */
export function checkPlan(context: object): void {
  const plan = plans.get(context)
  if (plan !== undefined && plan.wanted !== null && plan.wanted !== plan.count)
    throw new Error(`the plan is ${plan.wanted} assertions, there were ${plan.count}`)
}

export function contextOf(running: Running): object {
  const { name, fullName, after, started, style, extras } = running
  const plan: Plan = { wanted: null, count: 0 }
  const around: Record<'beforeEach' | 'afterEach', Body[]> = { beforeEach: [], afterEach: [] }
  const subtest = async (title: string, body: Body): Promise<void> => {
    const own: (() => unknown)[] = []
    const inner = contextOf({
      ...running,
      name: title,
      fullName: `${fullName} > ${title}`,
      after: own,
    })
    try {
      for (const hook of around.beforeEach) await called(hook, style, inner)
      await called(body, style, inner)
      checkPlan(inner)
    } catch (error) {
      throw new Error(`${title}: ${explained(error)}`, { cause: error })
    } finally {
      for (const hook of around.afterEach) await called(hook, style, inner)
      for (const hook of own) await hook()
    }
  }
  const test = (title: unknown, ...rest: unknown[]): Promise<void> => {
    plan.count++
    const given = [title, ...rest]
    const body = given.find((one) => typeof one === 'function') as Body | undefined
    const options = given.find((one): one is object => typeof one === 'object' && one !== null)
    const isMarked = (mark: string): boolean => isSet(Reflect.get(options ?? {}, mark))
    if (body === undefined || isMarked('skip') || isMarked('todo')) return Promise.resolve()
    const work = subtest(typeof title === 'string' ? title : body.name, body)
    // A failed subtest fails the test through `started`. Without this handler, Node would also report an unhandled
    // rejection.
    work.catch(() => {})
    started.push(work)
    return work
  }
  const skip = (): never => {
    throw new Skipped('skipped')
  }
  Object.assign(test, { skip: () => Promise.resolve(), todo: () => Promise.resolve() })
  const context = {
    name,
    fullName,
    task: { name, fullName, meta: {} },
    signal: new AbortController().signal,
    test,
    it: test,
    before: (hook: Body) => called(hook, style, {}),
    after: (hook: () => unknown) => void after.push(hook),
    beforeEach: (hook: Body) => void around.beforeEach.push(hook),
    afterEach: (hook: Body) => void around.afterEach.push(hook),
    onTestFinished: (hook: () => unknown) => void after.push(hook),
    onTestFailed: (hook: () => unknown) => void running.onFailed.push(hook),
    skip,
    todo() {},
    diagnostic() {},
    runOnly() {},
    plan: (wanted: number) => {
      plan.wanted = wanted
    },
    ...extras(() => plan.count++),
  }
  plans.set(context, plan)
  return context
}

export const isSet = (mark: unknown): boolean =>
  mark !== undefined && mark !== false && mark !== '' && mark !== null

/**
 * Returns the `this` of mocha's hooks and tests in a suite. It inherits from the `this` of the enclosing suite. So
 * tests in inner suites see properties that an outer hook has set. Its method `timeout` does nothing, because the
 * case limits the time.
 */
export function mochaThis(parent: object | null, title: string): object {
  const own: Record<string, unknown> = Object.create(parent) as Record<string, unknown>
  const setter = (ms?: number): unknown => (ms === undefined ? 0 : own)
  return Object.assign(own, {
    timeout: setter,
    slow: setter,
    retries: setter,
    title,
    fullTitle: () => title,
    skip() {
      throw new Skipped('skipped')
    },
  })
}
