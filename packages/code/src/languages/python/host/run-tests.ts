/**
 * One sample under test. Two forks in two sandboxes: the sample's, which holds the code, and the tester's,
 * which holds the tests. They talk on pipes of their own; the host holds the time and listens to the tester,
 * who tells the names of the tests, then each result. A test without one has failed.
 */
import { SandboxError } from '@assay/sandbox'
import { decodeFrame, encodeFrame } from '../../../frames.ts'
import type { CodeLimits, Fault, TestActivity, TestResult, Unready } from '../../../language.ts'
import { TestsFault } from '../../../tests-fault.ts'
import { hungry, testerFault } from './faults.ts'
import type { Fork, Gone } from './forks.ts'

/** For the tester to name the tests that are left, once the sample is gone. */
const GRACE_MS = 5000

export interface Tested {
  readonly tests: readonly TestResult[]
  readonly fault: Fault | null
  /** Where it was counted. */
  readonly activity?: TestActivity
  readonly skipped: readonly string[]
  /** Where the tests could not be loaded. */
  readonly unready?: Unready
  /** Whether the tester is as good as new. */
  readonly again: boolean
}

/** What holds while the tests run. */
export interface Course {
  readonly limits: CodeLimits
  /** Settles with what ended the sample, should that come before the tests' end. */
  readonly over: Promise<Fault>
  readonly stop: AbortSignal
}

type Result = readonly [index: number, passed: boolean | null, message: string | null]

/** What a tester tells its host. */
type Told =
  /** The tests themselves cannot be read. */
  | { readonly wrong: string }
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

/** The tests as a tester last told them: it says nothing where the next sample has the same. */
const known = new WeakMap<Fork, readonly string[]>()

/** Names in order, with what became of them. */
export class Results {
  #names: readonly string[] = []
  readonly #outcomes = new Map<number, Pick<TestResult, 'passed' | 'message'> | null>()

  name(names: readonly string[]): void {
    this.#names = names
  }

  get names(): readonly string[] {
    return this.#names
  }

  /** The first word counts. Null: the test said that it does not apply. */
  set(index: number, passed: boolean | null, message: string | null): void {
    if (this.#outcomes.has(index)) return
    this.#outcomes.set(
      index,
      passed === null ? null : { passed, ...(message === null ? {} : { message }) },
    )
  }

  fail(index: number, message: string): void {
    this.#outcomes.set(index, { passed: false, message })
  }

  /** Those that said that they do not apply. */
  skipped(): string[] {
    return this.#names.filter((_, index) => this.#outcomes.get(index) === null)
  }

  /** All of them; those that did not report have failed for this reason. */
  list(missing: string): TestResult[] {
    return this.#names.flatMap((name, index) => {
      const outcome = this.#outcomes.get(index)
      if (outcome === undefined) return [{ name, passed: false, message: missing }]
      return outcome === null ? [] : [{ name, ...outcome }]
    })
  }
}

/**
 * Runs the tests to their end, by a tester that has its task. The caller ends both forks.
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
      // Whoever ends before naming them has at least one that failed.
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
    /** The sample is no more; the tester may still name its tests. */
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
