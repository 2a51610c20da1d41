/**
 * Processes that judge, each with processes for samples that are linked to it and wait. A judge takes one
 * sample at a time, each at one of the links that it was started with; when they are used up, another
 * judge takes its place.
 */
import type { Duplex } from 'node:stream'
import { SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import { exchange, type Judged, type Judging } from './exchange.ts'
import type { FromHost, FromJudge } from '../sandboxed/test-session.ts'
import type { PreparedTests } from '../sandboxed/analyze/prepared.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

const COLLECT_MS = 20_000

interface Judge {
  readonly process: Warm
  readonly samples: WarmProcesses
  /** Links that no sample has yet. */
  readonly left: () => number
}

export class Judges {
  readonly #sandbox: Sandbox
  readonly #program: (key: string) => Program
  readonly #processes: WarmProcesses
  readonly #live = new Set<Judge>()
  readonly #ending = new Set<Promise<unknown>>()
  #idle: Judge[] = []

  /** Programs for samples are told apart by a key. */
  constructor(sandbox: Sandbox, judge: () => Program, program: (key: string) => Program) {
    this.#sandbox = sandbox
    this.#program = program
    this.#processes = new WarmProcesses(
      sandbox,
      () => ({ program: judge() }),
      () => 0,
    )
  }

  async judge(
    key: string,
    judging: Omit<Judging, 'judge' | 'sample'>,
  ): Promise<Omit<Judged, 'sound'>> {
    const judge = await this.#take((one) => one.left() > 0 || one.samples.waiting(key) > 0)
    let sample: Warm
    try {
      sample = await judge.samples.take(key)
    } catch (error) {
      this.#end(judge)
      throw error
    }
    const { sound, ...judged } = await exchange({ ...judging, judge: judge.process, sample }).catch(
      (error: unknown) => {
        this.#end(judge)
        throw error
      },
    )
    this.#give(judge, sound)
    return judged
  }

  /** The tests that a file has, without any sample. */
  async collect(prepared: PreparedTests): Promise<readonly string[]> {
    const judge = await this.#take(() => true)
    const { process } = judge
    const found = await new Promise<readonly string[] | null>((resolve) => {
      let names: readonly string[] | null = null
      const timer = setTimeout(() => resolve(null), COLLECT_MS)
      const end = (with_: readonly string[] | null): void => {
        clearTimeout(timer)
        resolve(with_)
      }
      process.onBadFrame = () => end(null)
      process.onFrame = (frame) => {
        const message = JSON.parse(frame.toString('utf8')) as FromJudge
        if (message.say === 'names') names = message.names
        else if (message.say === 'done') end(names)
      }
      void process.ended.then(() => end(null))
      process.send({ say: 'collect', prepared } satisfies FromHost)
    })
    this.#give(judge, found !== null)
    if (found === null) throw new SandboxError('the tests could not be listed without a sample')
    return found
  }

  async close(): Promise<void> {
    for (const judge of this.#live) this.#end(judge)
    await Promise.all([this.#processes.close(), ...this.#ending])
  }

  async #take(isFit: (judge: Judge) => boolean): Promise<Judge> {
    for (let judge = this.#idle.pop(); judge !== undefined; judge = this.#idle.pop())
      if (isFit(judge)) return judge
      else this.#end(judge)
    const process = await this.#processes.take('tester')
    const links = [...process.pipes.entries()]
    const judge: Judge = {
      process,
      samples: new WarmProcesses(
        this.#sandbox,
        (key) => linked(this.#program(key), links),
        () => Math.min(1, links.length),
      ),
      left: () => links.length,
    }
    this.#live.add(judge)
    return judge
  }

  #give(judge: Judge, sound: boolean): void {
    if (sound) this.#idle.push(judge)
    else this.#end(judge)
  }

  #end(judge: Judge): void {
    this.#live.delete(judge)
    for (const pipe of judge.process.pipes) pipe.destroy()
    const ending = Promise.all([judge.process.kill(), judge.samples.close()])
    this.#ending.add(ending)
    void ending.finally(() => this.#ending.delete(ending))
  }
}

function linked(program: Program, links: [number, Duplex][]): Linked {
  const [link, pipe] = links.shift() ?? []
  if (link === undefined || pipe === undefined)
    throw new SandboxError('a judge has more samples than links')
  return { program: { ...program, handed: [pipe] }, link }
}
