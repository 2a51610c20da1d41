/**
 * Testers are processes that run tests. Each tester is linked to waiting processes, and each solution is loaded into
 * one of these. A tester serves one solution at a time, each over a separate channel (a link). It is started with a
 * fixed number of links. When all links are used, a new tester replaces it. Starting a process for a solution takes
 * longer than running its tests. So one tester has enough work for two cores: one runs tests while the other starts
 * processes.
 */
import type { Duplex } from 'node:stream'
import { SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import { exchange, type Testerd, type TestSession } from './exchange.ts'
import type { FromHost, FromTester } from '../sandboxed/test-session.ts'
import type { PreparedTests } from '../sandboxed/analyze/prepared.ts'
import { Pool } from '../../../pool/server-pool.ts'
import { References, type Held } from './references.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

const COLLECT_MS = 20_000
/** The most processes that wait for solutions of one tester. */
const MOST_SPARE = 2
/** How many references a process can hold, one after another. */
const REFERENCE_LINKS = 8

/** A process that runs tests, together with the processes for solutions that are linked to it. */
class Tester {
  readonly process: Promise<Warm>
  isDead = false
  #links: [number, Duplex][] = []
  readonly #samples: WarmProcesses
  readonly #references: References

  /** `spare` returns how many processes should wait for solutions of a kind. */
  constructor(
    process: Promise<Warm>,
    sandbox: Sandbox,
    program: (key: string) => Program,
    spare: (key: string) => number,
  ) {
    this.process = process
    process.catch(() => {})
    this.#samples = new WarmProcesses(
      sandbox,
      (key) => linked(program(key), this.#links, 1),
      (key) => Math.min(this.#links.length + this.#samples.waiting(key), spare(key)),
    )
    this.#references = new References(sandbox, (key) =>
      linked(program(key), this.#links, REFERENCE_LINKS),
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

  /**
   * Returns a process for a solution. Throws if all links are used and no process is waiting. `key` identifies the
   * kind of process.
   */
  async sample(key: string): Promise<Held> {
    await this.started()
    if (this.#links.length === 0 && this.#samples.waiting(key) === 0)
      throw new SandboxError('all links of the tester are used')
    const sample = await this.#samples.take(key)
    return { sample, link: sample.links[0] ?? -1, ownLink: null, isUsed: false }
  }

  /** Returns a process for a reference. It may have held other references before. */
  async reference(key: string): Promise<Held> {
    await this.started()
    if (this.#links.length === 0 && !this.#references.hasLinks(key))
      throw new SandboxError('all links of the tester are used')
    return this.#references.take(key)
  }

  /** Returns the process of a reference when the reference has been tested. */
  release({ sample, ownLink }: Held, isPassed: boolean): void {
    if (ownLink !== null) this.#references.release(sample, isPassed)
  }

  /** Starts processes for the next solutions, if the tester itself has started. */
  prepare(key: string): void {
    if (this.#isLinked && !this.isDead) this.#samples.prepare(key)
  }

  /** How many processes wait for solutions of this kind. */
  waiting(key: string): number {
    return this.#samples.waiting(key)
  }

  async close(): Promise<void> {
    this.isDead = true
    const held = [this.#samples.close(), this.#references.close()]
    const started = await this.process.catch(() => null)
    for (const pipe of started?.pipes ?? []) pipe.destroy()
    await Promise.all([started?.kill(), ...held])
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
  /**
   * Makes a tester. `packages` is the folder of the packages that its tests may import. An empty string means no
   * packages.
   */
  readonly #make: (packages: string) => Tester
  /**
   * The testers whose tests import packages. Each serves only one solution, because a package may keep values from
   * earlier tests.
   */
  readonly #single = new Set<Tester>()
  /** The testers that serve many solutions. */
  readonly #lasting = new Set<Tester>()
  /** How many solutions of each kind will soon need a process. */
  readonly #expected = new Map<string, number>()

  /** `program` gets a key that identifies the kind of process for solutions. */
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
    this.#make = (packages) => {
      const made: Tester = new Tester(this.#processes.take(packages), sandbox, program, (key) =>
        packages === '' ? this.#spare(key, made) : 0,
      )
      return made
    }
    this.#pool = new Pool(() => {
      const made = this.#make('')
      this.#lasting.add(made)
      return made
    })
  }

  /**
   * Announces a solution that will probably be tested, so that its process starts while the solution is checked. The
   * caller must call the returned function when the solution has its process or will not need one.
   */
  expect(key: string): () => void {
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1)
    for (const tester of this.#lasting) tester.prepare(key)
    let isOver = false
    return () => {
      if (!isOver) this.#expected.set(key, (this.#expected.get(key) ?? 1) - 1)
      isOver = true
    }
  }

  /**
   * Returns how many processes should wait at this tester: one for each expected solution that has no waiting process
   * at another tester.
   */
  #spare(key: string, next: Tester): number {
    const elsewhere = [...this.#lasting]
      .filter((tester) => tester !== next)
      .reduce((count, tester) => count + tester.waiting(key), 0)
    return Math.min(MOST_SPARE, Math.max(0, (this.#expected.get(key) ?? 0) - elsewhere))
  }

  /** Starts a tester in advance, so that the first solution does not wait for it. */
  start(): void {
    this.#pool.warm((one) => one.started())
  }

  /**
   * Tests a solution. `taken` is called when the solution gets its process. With `isShared`, the process may have
   * held other references before. The result then says whether it has.
   */
  async tester(
    key: string,
    testing: Omit<TestSession, 'tester' | 'sample' | 'link' | 'stays'>,
    { isShared, taken }: { readonly isShared: boolean; readonly taken: () => void },
  ): Promise<Omit<Testerd, 'sound'> & { readonly isUsed?: true }> {
    const { packages } = testing.run
    const { one: tester, begun } = await this.#take(packages, async (one) => {
      taken()
      const held = isShared ? await one.reference(key) : await one.sample(key)
      return { held, process: await one.started() }
    })
    const { held, process } = begun
    const { sample, link, ownLink, isUsed } = held
    let isPassed = false
    try {
      const { sound, ...tested } = await exchange({
        ...testing,
        load: ownLink === null ? testing.load : { ...testing.load, shared: { link: ownLink } },
        tester: process,
        ...{ sample, link, stays: ownLink !== null },
      })
      tester.isDead = !sound
      const { tests, fault } = tested
      isPassed = sound && fault === null && tests.every(({ passed }) => passed)
      return isUsed ? { ...tested, isUsed } : tested
    } catch (error) {
      tester.isDead = true
      throw error
    } finally {
      tester.release(held, isPassed)
      this.#free(tester)
    }
  }

  /** Returns the names of the tests in a file. No solution is needed. */
  async collect(
    prepared: PreparedTests,
    packages: string | null,
    data: Readonly<Record<string, string>>,
  ): Promise<Collected> {
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
      process.send({ say: 'collect', prepared, packages, data } satisfies FromHost)
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
    if (tester.isDead) this.#lasting.delete(tester)
    if (!this.#single.has(tester)) this.#pool.free(tester)
    else void tester.close().finally(() => this.#single.delete(tester))
  }
}

/** Hands up to `most` free links of a tester to a program. */
function linked(program: Program, free: [number, Duplex][], most: number): Linked {
  const handed = free.splice(0, most)
  if (handed.length === 0) throw new SandboxError('a tester has more samples than links')
  return {
    program: { ...program, handed: handed.map(([, pipe]) => pipe) },
    links: handed.map(([link]) => link),
  }
}
