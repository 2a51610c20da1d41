/**
 * Tests one solution with two forks in two sandboxes. One fork has the solution. The other, the tester, has the
 * tests. They communicate directly over two pipes. The tester sends the names of the tests to the host, and then each
 * result. The host reads these messages and enforces the time limit. A test without a result has failed.
 */
import { SandboxError } from '@assay/sandbox'
import { decodeFrame, encodeFrame } from '../../../frames.ts'
import type { CodeLimits, Fault, TestActivity, TestResult, Unready } from '../../../language.ts'
import { NeedsInProcess, TestsFault } from '../../../fault/tests-fault.ts'
import { hungry, testerFault } from './faults.ts'
import type { Fork, Gone } from './forks.ts'

/** After the solution has ended, the tester has this time to send the names and results of the remaining tests. */
const GRACE_MS = 5000

export interface Tested {
  readonly tests: readonly TestResult[]
  readonly fault: Fault | null
  /** How often the tests made an assertion or used the solution. Set if the caller requested it. */
  readonly activity?: TestActivity
  readonly skipped: readonly string[]
  /** Set if the tests could not be loaded. */
  readonly unready?: Unready
  /** Whether the tester is in a clean state, so that it can test the next solution. */
  readonly again: boolean
}

/** What controls one run of the tests: its limits, and the events that end it. */
export interface Course {
  readonly limits: CodeLimits
  /** Resolves with the fault if the solution ends before the tests do. */
  readonly over: Promise<Fault>
  readonly stop: AbortSignal
}

type Result = readonly [index: number, passed: boolean | null, message: string | null]

/** Messages from a tester to the host. */
type Told =
  /** The tests cannot be parsed. */
  | { readonly wrong: string }
  /** The tests use a feature that works only in the process of the solution. */
  | { readonly near: string }
  | { readonly tests: readonly string[] }
  | { readonly results: readonly Result[] }
  | {
      readonly results: readonly Result[]
      readonly done: true
      readonly memory: boolean
      readonly gone: readonly [kind: Fault['kind'], text: string] | null
      readonly again: boolean
      readonly activity?: TestActivity
      readonly unready?: Unready
    }

/**
 * The test names that each tester sent last. They are kept here because a tester sends them only if they changed
 * since the last solution.
 */
const known = new WeakMap<Fork, readonly string[]>()

/** The names of the tests in order, with their outcomes. */
export class Results {
  #names: readonly string[] = []
  readonly #outcomes = new Map<number, Pick<TestResult, 'passed' | 'message'> | null>()

  name(names: readonly string[]): void {
    this.#names = names
  }

  get names(): readonly string[] {
    return this.#names
  }

  /**
   * Records the outcome of a test. Only the first outcome of a test counts. If `passed` is null, the test was
   * skipped.
   */
  set(index: number, passed: boolean | null, message: string | null): void {
    if (this.#outcomes.has(index)) return
    this.#outcomes.set(
      index,
      passed === null ? null : { passed, ...(message === null ? {} : { message }) },
    )
  }

  /** Adds a test whose name became known only while the tests ran. Returns its index. */
  add(name: string): number {
    return (this.#names = [...this.#names, name]).length - 1
  }

  fail(index: number, message: string): void {
    this.#outcomes.set(index, { passed: false, message })
  }

  /** Returns the names of the skipped tests. */
  skipped(): string[] {
    return this.#names.filter((_, index) => this.#outcomes.get(index) === null)
  }

  /**
   * Returns the results of all tests that were not skipped. A test without an outcome has failed with the message
   * `missing`.
   */
  list(missing: string): TestResult[] {
    return this.#names.flatMap((name, index) => {
      const outcome = this.#outcomes.get(index)
      if (outcome === undefined) return [{ name, passed: false, message: missing }]
      return outcome === null ? [] : [{ name, ...outcome }]
    })
  }
}

/**
 * Reads the results of the tests until the tests have ended. The tester must already have its task. The caller ends
 * both forks.
 */
export function tryOut(tester: Fork, { limits, over, stop }: Course): Promise<Tested> {
  return new Promise((resolve, reject) => {
    const results = new Results()
    results.name(known.get(tester) ?? [])
    let fault: Fault | null = null
    let isSettled = false
    let again = false
    let activity: TestActivity | undefined
    let unready: Unready | undefined
    let timer: NodeJS.Timeout | undefined

    const settle = (missing: string): void => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      stop.removeEventListener('abort', abort)
      const tests = results.list(missing)
      // The solution may have ended before the tester sent the names of the tests. Then report one failed test.
      const all =
        results.names.length === 0 && fault !== null
          ? [{ name: 'tests', passed: false, message: missing }]
          : tests
      resolve({
        tests: all,
        fault,
        skipped: results.skipped(),
        ...(activity === undefined ? {} : { activity }),
        ...(unready === undefined ? {} : { unready }),
        again,
      })
    }
    const refuse = (error: Error): void => {
      isSettled = true
      clearTimeout(timer)
      stop.removeEventListener('abort', abort)
      reject(error)
    }
    const abort = (): void => refuse(stop.reason as Error)
    /** Called when the solution has ended. It informs the tester, which can then still send the names of its tests. */
    const lose = (what: Fault): void => {
      if (fault !== null || isSettled) return
      fault = what
      tester.send(encodeFrame({ gone: what.text }))
      timer = setTimeout(() => settle(what.text), GRACE_MS)
    }
    const fail = (gone: Gone): void => {
      if (gone === 'unborn') {
        refuse(new SandboxError('the tests could not be started'))
        return
      }
      fault ??= testerFault(gone)
      settle(fault.text)
    }
    const told = (message: Told): void => {
      if ('wrong' in message) {
        refuse(new TestsFault(message.wrong))
        return
      }
      if ('near' in message) {
        refuse(new NeedsInProcess(message.near))
        return
      }
      if ('tests' in message) {
        known.set(tester, message.tests)
        results.name(message.tests)
      } else for (const result of message.results) results.set(...result)
      if ('done' in message) {
        if (fault === null && message.memory) fault = hungry(limits)
        else if (fault === null && message.gone !== null)
          fault = { kind: message.gone[0], text: message.gone[1] }
        again = message.again
        activity = message.activity
        unready = message.unready
        settle('it did not report')
      }
    }

    stop.addEventListener('abort', abort, { once: true })
    tester.listen((frame) => {
      if (!isSettled) told(decodeFrame(frame) as Told)
    })
    void over.then(lose)
    void tester.gone.then(fail)
  })
}
