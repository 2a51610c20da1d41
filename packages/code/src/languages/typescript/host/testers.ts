/**
 * Processes that run tests, each with processes for solutions that are linked to it and wait. A tester serves one
 * solution at a time, each over one of the links that it was started with. When all links are used, a new tester
 * replaces it.
 */
import type { Duplex } from 'node:stream'
import { SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import { exchange, type Testerd, type TestSession } from './exchange.ts'
import type { FromHost, FromTester } from '../sandboxed/test-session.ts'
import type { PreparedTests } from '../sandboxed/analyze/prepared.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

const COLLECT_MS = 20_000

interface Tester {
  readonly process: Warm
  readonly samples: WarmProcesses
  /** The number of links that no solution has used yet. */
  readonly left: () => number
}

/** The names of the tests in a file. */
export interface Collected {
  readonly names: readonly string[]
  readonly skipped: readonly string[]
}

export class Testers {
  readonly #sandbox: Sandbox
  readonly #program: (key: string) => Program
  readonly #processes: WarmProcesses
  readonly #live = new Set<Tester>()
  readonly #ending = new Set<Promise<unknown>>()
  #idle: Tester[] = []

  /** `key` identifies the kind of program for solutions. */
  constructor(sandbox: Sandbox, tester: () => Program, program: (key: string) => Program) {
    this.#sandbox = sandbox
    this.#program = program
    this.#processes = new WarmProcesses(
      sandbox,
      () => ({ program: tester() }),
      () => 0,
    )
  }

  async tester(
    key: string,
    testing: Omit<TestSession, 'tester' | 'sample'>,
  ): Promise<Omit<Testerd, 'sound'>> {
    const tester = await this.#take((one) => one.left() > 0 || one.samples.waiting(key) > 0)
    let sample: Warm
    try {
      sample = await tester.samples.take(key)
    } catch (error) {
      this.#end(tester)
      throw error
    }
    const { sound, ...tested } = await exchange({
      ...testing,
      tester: tester.process,
      sample,
    }).catch((error: unknown) => {
      this.#end(tester)
      throw error
    })
    this.#give(tester, sound)
    return tested
  }

  /** Returns the tests of a file, without any solution. */
  async collect(prepared: PreparedTests): Promise<Collected> {
    const tester = await this.#take(() => true)
    const { process } = tester
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
      process.send({ say: 'collect', prepared } satisfies FromHost)
    })
    this.#give(tester, found !== null)
    if (found === null) throw new SandboxError('the tests could not be listed without a sample')
    return found
  }

  async close(): Promise<void> {
    for (const tester of this.#live) this.#end(tester)
    await Promise.all([this.#processes.close(), ...this.#ending])
  }

  async #take(isFit: (tester: Tester) => boolean): Promise<Tester> {
    for (let tester = this.#idle.pop(); tester !== undefined; tester = this.#idle.pop())
      if (isFit(tester)) return tester
      else this.#end(tester)
    const process = await this.#processes.take('tester')
    const links = [...process.pipes.entries()]
    const tester: Tester = {
      process,
      samples: new WarmProcesses(
        this.#sandbox,
        (key) => linked(this.#program(key), links),
        () => Math.min(1, links.length),
      ),
      left: () => links.length,
    }
    this.#live.add(tester)
    return tester
  }

  #give(tester: Tester, sound: boolean): void {
    if (sound) this.#idle.push(tester)
    else this.#end(tester)
  }

  #end(tester: Tester): void {
    this.#live.delete(tester)
    for (const pipe of tester.process.pipes) pipe.destroy()
    const ending = Promise.all([tester.process.kill(), tester.samples.close()])
    this.#ending.add(ending)
    void ending.finally(() => this.#ending.delete(ending))
  }
}

function linked(program: Program, links: [number, Duplex][]): Linked {
  const [link, pipe] = links.shift() ?? []
  if (link === undefined || pipe === undefined)
    throw new SandboxError('a tester has more samples than links')
  return { program: { ...program, handed: [pipe] }, link }
}
