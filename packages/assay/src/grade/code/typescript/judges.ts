/** Processes that judge, each one sample at a time, and a new one after some hundreds. */
import { SandboxError, type Sandbox } from '../../../sandbox/index.ts'
import { exchange, type Judged, type Judging } from './exchange.ts'
import type { FromHost, FromJudge } from './inside/judging.ts'
import type { PreparedTests } from './inside/prepared.ts'
import { judgeProgram } from './programs.ts'
import { WarmProcesses, type Warm } from './warm.ts'

/** What a test leaves behind in a process must not add up. */
const MOST_RUNS = 300
const COLLECT_MS = 20_000

interface Judge {
  readonly process: Warm
  runs: number
}

export class Judges {
  readonly #processes: WarmProcesses
  #idle: Judge[] = []

  constructor(sandbox: Sandbox) {
    this.#processes = new WarmProcesses(sandbox, judgeProgram, 0)
  }

  async judge(judging: Omit<Judging, 'judge'>): Promise<Omit<Judged, 'sound'>> {
    const judge = await this.#take()
    const { sound, ...judged } = await exchange({ ...judging, judge: judge.process })
    this.#give(judge, sound)
    return judged
  }

  /** The tests that a file has, without any sample. */
  async collect(prepared: PreparedTests): Promise<readonly string[]> {
    const judge = await this.#take()
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
    for (const { process } of this.#idle) void process.kill()
    this.#idle = []
    await this.#processes.close()
  }

  async #take(): Promise<Judge> {
    return this.#idle.pop() ?? { process: await this.#processes.take('judge'), runs: 0 }
  }

  #give(judge: Judge, sound: boolean): void {
    judge.runs++
    if (sound && judge.runs < MOST_RUNS) this.#idle.push(judge)
    else void judge.process.kill()
  }
}
