/**
 * One sample judged at the level `values`: the host stands between the judge and the sample's process,
 * hands frames on without reading them, and holds the time. It believes the judge alone. When the sample
 * ends or runs out of time, the judge is told and says what became of the tests; should the judge not
 * answer either, what it has said so far stands and the rest has failed.
 */
import type { Fault, TestResult } from '../language.ts'
import { faultOf, timeoutFault } from './fault.ts'
import type { FromHost, FromJudge } from './inside/judging.ts'
import type { Load } from './inside/modules.ts'
import type { Warm } from './warm.ts'

const MARK = Buffer.from('>')
const MARK_CODE = 62
/** For the judge to finish once the sample is gone. */
const GRACE_MS = 5000
/** What may wait to be read by one side before the other is held back. */
const MOST_BEHIND = 4 * 1024 * 1024

export interface Judging {
  readonly judge: Warm
  readonly sample: Warm
  readonly run: Extract<FromHost, { say: 'run' }>
  readonly load: Load
  readonly cpuMs: number
  readonly wallMs: number
  readonly signal: AbortSignal
}

export interface Judged {
  readonly tests: readonly TestResult[]
  readonly fault: Fault | null
  /** The judge can go on to another sample. */
  readonly sound: boolean
}

export function exchange(judging: Judging): Promise<Judged> {
  const { judge, sample, run, load, cpuMs, wallMs, signal } = judging
  return new Promise<Judged>((resolve, reject) => {
    let names: readonly string[] | null = null
    const results = new Map<number, TestResult>()
    let fault: Fault | null = null
    let over = false
    let grace: NodeJS.Timeout | undefined

    const finish = (sound: boolean): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      clearTimeout(grace)
      signal.removeEventListener('abort', abort)
      judge.onFrame = () => {}
      sample.onFrame = () => {}
      void sample.kill()
      if (!sound) void judge.kill()
    }
    const settle = (sound: boolean): void => {
      finish(sound)
      const why = fault?.text ?? 'the tests did not come to an end'
      const tests = (names ?? ['tests']).map(
        (name, index): TestResult => results.get(index) ?? { name, passed: false, message: why },
      )
      resolve({ tests, fault, sound })
    }
    const lose = (why: Fault): void => {
      if (over || fault !== null) return
      fault = why
      void sample.kill()
      judge.send({ say: 'lost', text: why.text } satisfies FromHost)
      grace = setTimeout(() => settle(false), GRACE_MS)
    }
    function abort(): void {
      finish(false)
      reject(signal.reason)
    }

    const heard = (message: FromJudge): void => {
      if (message.say === 'names') names = message.names
      else if (message.say === 'result') {
        const { index, passed } = message
        const name = names?.[index]
        if (name === undefined || results.has(index)) return
        results.set(index, {
          name,
          passed,
          ...(message.message === undefined ? {} : { message: message.message }),
        })
      } else if (message.say === 'violation') lose({ kind: 'crash', text: message.text })
      else if (message.say === 'broken') fault ??= { kind: 'crash', text: message.text }
      else settle(true)
    }

    const timer = setTimeout(() => lose(timeoutFault('wall', wallMs)), wallMs)
    judge.onFrame = (frame) => {
      if (frame[0] === MARK_CODE) {
        if (fault === null) sample.forward(frame.subarray(1))
      } else heard(JSON.parse(frame.toString('utf8')) as FromJudge)
    }
    judge.onBadFrame = () => settle(false)
    sample.onFrame = (frame) => {
      judge.forward(Buffer.concat([MARK, frame]))
      if (judge.behind() > MOST_BEHIND) {
        sample.pause()
        judge.onceRead(() => sample.resume())
      }
    }
    sample.onBadFrame = (error) =>
      lose({
        kind: 'output',
        text: `the sample sent ${error instanceof Error ? error.message : 'too much'}`,
      })
    void sample.ended.then((ended) => lose(faultOf(ended, cpuMs, sample.stderr())))
    const judgeEnded = (): void => {
      fault ??= { kind: 'crash', text: 'the process that runs the tests ended' }
      settle(false)
    }
    void judge.ended.then(judgeEnded)
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    judge.send(run)
    sample.send(load)
  })
}
