/**
 * The integrity level `in-process`: the tests run in the solution's own fork. The tester's server lists the tests in
 * the source, by its syntax alone. The solution's fork gets a nonce before it loads the solution, and the test source
 * after that. Every expected test must report once, with the nonce.
 */
import { createHash, randomBytes } from 'node:crypto'
import { PYTHON_FORKS, SandboxError } from '@assay/sandbox'
import { decodeFrame, encodeFrame, FrameError } from '../../../frames.ts'
import type { Fault, Tests, Unready } from '../../../language.ts'
import { TestsFault } from '../../../tests-fault.ts'
import { hungry } from './faults.ts'
import type { Fork, ForkServer } from './forks.ts'
import type { Pool } from './server-pool.ts'
import { Results, type Course, type Tested } from './run-tests.ts'

/** The contents of a test source, by its syntax. */
export interface Inventory {
  readonly tests: readonly string[]
  /** Modules that the tests import. They are imported before the solution, so that it cannot change them. */
  readonly imports: readonly string[]
}

type Listed = Inventory | { readonly wrong: string }

type SourceTests = Extract<Tests, { kind: 'source' }>

const LIST_LIMITS = { ...PYTHON_FORKS.lister, filter: true }
const MOST_LISTS = 1000

/** Caches the inventory of each test source. */
export class Inventories {
  readonly #testers: Pool<ForkServer>
  readonly #known = new Map<string, Promise<Inventory>>()

  constructor(testers: Pool<ForkServer>) {
    this.#testers = testers
  }

  of(tests: SourceTests): Promise<Inventory> {
    const key = createHash('sha256').update(JSON.stringify(tests)).digest('hex')
    const known = this.#known.get(key) ?? this.#list(tests)
    if (this.#known.size >= MOST_LISTS) this.#known.clear()
    this.#known.set(key, known)
    known.catch(() => this.#known.delete(key))
    return known
  }

  async #list(tests: SourceTests): Promise<Inventory> {
    const task = encodeFrame({ tests, list: true })
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
        void tester.gone.then(() =>
          refuse('the tests cannot be read: the parser did not survive them'),
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
  /** True if the tests failed to load. */
  readonly unready?: boolean
}

export function runInProcess(
  sample: Fork,
  tests: SourceTests,
  expected: readonly string[],
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
      // Without the final message, no earlier result is believed.
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
      // Ignore messages without the nonce: the solution printed or guessed them.
      if (message?.nonce !== nonce) return
      const memory = message.memory === true ? hungry(limits) : null
      if (message.failed !== undefined && message.unready === true)
        unready = { text: message.failed }
      if (message.failed !== undefined) settle(message.failed, memory)
      else if (message.loaded === true && !isLoaded) {
        isLoaded = true
        sample.send(encodeFrame(tests))
      } else if (message.done === true) settle('it did not report', memory, true)
      else if (message.result !== undefined) {
        const [name, passed, text] = message.result
        const index = places.get(name)
        if (index === undefined) return
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
