/**
 * Testers are processes that run tests. Each tester is linked to waiting processes, and each solution is loaded into
 * one of these. A tester serves one solution at a time, each over a separate link, and is started with a fixed number
 * of links. When all links are used, a new tester replaces it. Starting a process for a solution takes longer than
 * running its tests, so one tester can keep two cores busy.
 */
import type { Duplex } from 'node:stream'
import { SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import { exchange, type Testerd, type TestSession } from './exchange.ts'
import type { FromHost, FromTester } from '../sandboxed/test-session.ts'
import type { PreparedTests } from '../sandboxed/analyze/prepared.ts'
import { Pool } from '../../../pool/server-pool.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

const COLLECT_MS = 20_000

/** A process that runs tests, together with the processes for solutions that are linked to it. */
class Tester {
  readonly process: Promise<Warm>
  isDead = false
  #links: [number, Duplex][] = []
  readonly #samples: WarmProcesses

  /** `waiting` returns how many solutions are waiting for a free tester. */
  constructor(
    process: Promise<Warm>,
    sandbox: Sandbox,
    program: (key: string) => Program,
    waiting: () => number,
  ) {
    this.process = process
    process.catch(() => {})
    this.#samples = new WarmProcesses(
      sandbox,
      (key) => linked(program(key), this.#links),
      // Keep one process waiting for the next solution, and a second one if solutions already wait for a tester.
      () => Math.min(this.#links.length, 1 + Math.min(1, waiting())),
    )
  }

  /** Returns the tester's process once it has started. */
  async started(): Promise<Warm> {
    const started = await this.process
    if (!this.#isLinked) this.#links = [...started.pipes.entries()]
    this.#isLinked = true
    return started
  }

  #isLinked = false

  /** Returns a process for a solution. Throws if all links are used and no process is waiting. */
  async sample(key: string): Promise<Warm> {
    await this.started()
    if (this.#links.length === 0 && this.#samples.waiting(key) === 0)
      throw new SandboxError('all links of the tester are used')
    return this.#samples.take(key)
  }

  async close(): Promise<void> {
    this.isDead = true
    const samples = this.#samples.close()
    const started = await this.process.catch(() => null)
    for (const pipe of started?.pipes ?? []) pipe.destroy()
    await Promise.all([started?.kill(), samples])
  }
}

/** The names of the tests in a test file, and of those that it skips. */
export interface Collected {
  readonly names: readonly string[]
  readonly skipped: readonly string[]
}

export class Testers {
  readonly #processes: WarmProcesses
  readonly #pool: Pool<Tester>
  /** Makes a tester. Its tests may import the packages in this folder; an empty string means no packages. */
  readonly #make: (packages: string) => Tester
  /** The testers with packages. They serve only one solution, because a package may keep values from earlier tests. */
  readonly #single = new Set<Tester>()

  /** The key passed to `program` identifies the kind of process for solutions. */
  constructor(
    sandbox: Sandbox,
    tester: (packages: string | null) => Program,
    program: (key: string) => Program,
  ) {
    this.#processes = new WarmProcesses(
      sandbox,
      (packages) => ({ program: tester(packages === '' ? null : packages) }),
      () => 0,
    )
    this.#make = (packages) =>
      new Tester(this.#processes.take(packages), sandbox, program, () => this.#pool.waiting)
    this.#pool = new Pool(() => this.#make(''))
  }

  /** Starts a tester in advance, so that the first solution does not wait for it. */
  start(): void {
    this.#pool.warm((one) => one.started())
  }

  async tester(
    key: string,
    testing: Omit<TestSession, 'tester' | 'sample'>,
  ): Promise<Omit<Testerd, 'sound'>> {
    const { packages } = testing.run
    const { one: tester, begun } = await this.#take(packages, async (one) => ({
      sample: await one.sample(key),
      process: await one.started(),
    }))
    try {
      const { sound, ...tested } = await exchange({
        ...testing,
        tester: begun.process,
        sample: begun.sample,
      })
      tester.isDead = !sound
      return tested
    } catch (error) {
      tester.isDead = true
      throw error
    } finally {
      this.#free(tester)
    }
  }

  /** Returns the names of the tests in a file. No solution is needed. */
  async collect(prepared: PreparedTests, packages: string | null): Promise<Collected> {
    const { one: tester, begun: process } = await this.#take(packages, (one) => one.started())
    const found = await new Promise<Collected | null>((resolve) => {
      let names: Collected | null = null
      const timer = setTimeout(() => resolve(null), COLLECT_MS)
      const end = (with_: Collected | null): void => {
        clearTimeout(timer)
        resolve(with_)
      }
      process.onBadFrame = () => end(null)
      process.onFrame = (frame) => {
        const message = JSON.parse(frame.toString('utf8')) as FromTester
        if (message.say === 'names')
          names = { names: message.names, skipped: message.skipped ?? [] }
        else if (message.say === 'done') end(names)
      }
      void process.ended.then(() => end(null))
      process.send({ say: 'collect', prepared, packages } satisfies FromHost)
    })
    tester.isDead = found === null
    this.#free(tester)
    if (found === null) throw new SandboxError('the tests could not be listed without a sample')
    return found
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#pool.close(),
      this.#processes.close(),
      ...[...this.#single].map((tester) => tester.close()),
    ])
  }

  async #take<T>(
    packages: string | null,
    begin: (one: Tester) => Promise<T>,
  ): Promise<{ readonly one: Tester; readonly begun: T }> {
    if (packages === null) return this.#pool.take(begin)
    const one = this.#make(packages)
    this.#single.add(one)
    try {
      return { one, begun: await begin(one) }
    } catch (error) {
      this.#free(one)
      throw error
    }
  }

  #free(tester: Tester): void {
    if (!this.#single.has(tester)) this.#pool.free(tester)
    else void tester.close().finally(() => this.#single.delete(tester))
  }
}

function linked(program: Program, links: [number, Duplex][]): Linked {
  const [link, pipe] = links.shift() ?? []
  if (link === undefined || pipe === undefined)
    throw new SandboxError('a tester has more samples than links')
  return { program: { ...program, handed: [pipe] }, link }
}
