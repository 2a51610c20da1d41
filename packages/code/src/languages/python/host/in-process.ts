/**
 * The integrity level `in-process`: the tests run in the same fork as the solution. First, a tester's server lists
 * the tests from the syntax of the source, without running it. The solution's fork gets a nonce (a secret random
 * text) before it loads the solution, and the test source after that. Every listed test must report its result
 * exactly once, with the nonce. So a solution that does not know the nonce cannot report results itself.
 */
import { createHash, randomBytes } from 'node:crypto'
import { PYTHON_FORKS, SandboxError } from '@assay/sandbox'
import { decodeFrame, encodeFrame, FrameError } from '../../../frames.ts'
import type { Fault, Tests, Unready } from '../../../language.ts'
import { TestsFault } from '../../../fault/tests-fault.ts'
import { hungry } from './faults.ts'
import type { Fork, ForkServer } from './forks.ts'
import type { Pool } from '../../../pool/server-pool.ts'
import { Results, type Course, type Tested } from './run-tests.ts'

/** The tests and imports of a test source, read from its syntax. */
export interface Inventory {
  readonly tests: readonly string[]
  /**
   * Modules that the tests import. The fork imports them before it loads the solution, so that the solution
   * cannot replace them.
   */
  readonly imports: readonly string[]
}

/** The facts about a case that are needed to list its tests. */
export interface AboutTests {
  readonly main: string
  readonly module: string | null
  /** Files of the case that belong to its tests. */
  readonly helpers: Readonly<Record<string, string>>
}

type Listed = Inventory | { readonly wrong: string }

type SourceTests = Extract<Tests, { kind: 'source' }>

/** A parser's reply may arrive after the news that the parser has ended. This is how long to wait for the reply. */
const LAST_WORDS_MS = 500

const LIST_LIMITS = { ...PYTHON_FORKS.lister, filter: true }
const MOST_LISTS = 1000

/** Lists the tests of a test source, and caches the list for later solutions. */
export class Inventories {
  readonly #testers: Pool<ForkServer>
  readonly #known = new Map<string, Promise<Inventory>>()

  constructor(testers: Pool<ForkServer>) {
    this.#testers = testers
  }

  of(tests: SourceTests, about: AboutTests): Promise<Inventory> {
    const key = createHash('sha256')
      .update(JSON.stringify([tests, about]))
      .digest('hex')
    const known = this.#known.get(key) ?? this.#list(tests, about)
    if (this.#known.size >= MOST_LISTS) this.#known.clear()
    this.#known.set(key, known)
    known.catch(() => this.#known.delete(key))
    return known
  }

  async #list(tests: SourceTests, about: AboutTests): Promise<Inventory> {
    const task = encodeFrame({ tests, list: true, ...about })
    const { one, begun: tester } = await this.#testers.take((server) =>
      server.fork(LIST_LIMITS, task, null),
    )
    try {
      return await new Promise((resolve, reject) => {
        const refuse = (
          why: string,
          Kind: typeof SandboxError | typeof TestsFault = SandboxError,
        ): void => {
          clearTimeout(timer)
          reject(new Kind(why))
        }
        const timer = setTimeout(
          () => refuse('the tests cannot be read in time'),
          LIST_LIMITS.cpuMs,
        )
        tester.listen((frame) => {
          const said = decodeFrame(frame) as Listed
          clearTimeout(timer)
          if ('wrong' in said) refuse(said.wrong, TestsFault)
          else resolve(said)
        })
        // The parser's reply comes through another pipe than the news of its end, so it may be read later.
        void tester.gone.then(() =>
          setTimeout(
            () => refuse('the tests cannot be read: the parser did not survive them'),
            LAST_WORDS_MS,
          ),
        )
      })
    } finally {
      await tester.end()
      this.#testers.free(one)
    }
  }
}

export const makeNonce = (): string => randomBytes(24).toString('hex')

interface Told {
  readonly nonce?: unknown
  readonly loaded?: true
  readonly failed?: string
  readonly result?: readonly [name: string, passed: boolean | null, message: string | null]
  readonly done?: true
  readonly memory?: boolean
  /** True if the tests could not be loaded. */
  readonly unready?: boolean
}

export function runInProcess(
  sample: Fork,
  tests: SourceTests,
  expected: readonly string[],
  helpers: AboutTests['helpers'],
  { nonce, limits, over, stop }: Course & { readonly nonce: string },
): Promise<Tested> {
  return new Promise((resolve, reject) => {
    const results = new Results()
    results.name(expected)
    const places = new Map(expected.map((name, index) => [name, index]))
    const seen = new Set<string>()
    let isLoaded = false
    let isSettled = false
    let unready: Unready | undefined

    const settle = (missing: string, fault: Fault | null, isDone = false): void => {
      if (isSettled) return
      isSettled = true
      stop.removeEventListener('abort', abort)
      // If the final message is missing, the solution may have ended the run early, so no result counts.
      if (!isDone) for (const index of places.values()) results.fail(index, missing)
      resolve({
        tests: results.list(missing),
        fault,
        skipped: results.skipped(),
        ...(unready === undefined ? {} : { unready }),
        again: false,
      })
    }
    const abort = (): void => {
      isSettled = true
      reject(stop.reason as Error)
    }
    const told = (message: Told | null): void => {
      // A message without the nonce is ignored, because it comes from the solution, not from Assay's code in the
      // fork.
      if (message?.nonce !== nonce) return
      const memory = message.memory === true ? hungry(limits) : null
      if (message.failed !== undefined && message.unready === true)
        unready = { text: message.failed }
      if (message.failed !== undefined) settle(message.failed, memory)
      else if (message.loaded === true && !isLoaded) {
        isLoaded = true
        sample.send(encodeFrame({ ...tests, helpers }))
      } else if (message.done === true) settle('it did not report', memory, true)
      else if (message.result !== undefined) {
        const [name, passed, text] = message.result
        // The test source may create tests in a loop. The syntax does not show the names of such tests, so they are
        // added here.
        const index = places.get(name) ?? results.add(name)
        places.set(name, index)
        if (seen.has(name)) results.fail(index, 'it reported more than once')
        else results.set(index, passed, text)
        seen.add(name)
      }
    }

    stop.addEventListener('abort', abort, { once: true })
    sample.listen((frame) => {
      if (isSettled) return
      try {
        told(decodeFrame(frame) as Told)
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
      }
    })
    void over.then((fault) => settle(fault.text, fault))
  })
}
