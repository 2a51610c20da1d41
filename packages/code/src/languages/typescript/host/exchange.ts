/**
 * One sample judged at the level `values`. Judge and sample talk to each other over a link of their own;
 * the host gives each its part and holds the time. It believes the judge alone. When the sample ends or
 * runs out of time, the judge is told and says what became of the tests; should the judge not answer
 * either, what it has said so far stands and the rest has failed.
 */
import type { Fault, TestActivity, TestResult } from '../../../language.ts'
import { faultOf, timeoutFault } from './fault.ts'
import type { FromHost, FromJudge } from '../sandboxed/test-session.ts'
import type { Load } from '../sandboxed/modules.ts'
import type { Warm } from './warm.ts'

/** For the judge to finish once the sample is gone. */
const GRACE_MS = 5000
/** For the end of a sample to be seen here, once the judge has seen that it is not at its link. */
const CLOSED_MS = 1000

const CLOSED: Fault = { kind: 'crash', text: 'the sample closed its connection to the tests' }

export interface Judging {
  readonly judge: Warm
  readonly sample: Warm
  readonly run: Omit<Extract<FromHost, { say: 'run' }>, 'link'>
  readonly load: Load
  readonly cpuMs: number
  readonly wallMs: number
  readonly signal: AbortSignal
}

export interface Judged {
  readonly tests: readonly TestResult[]
  readonly fault: Fault | null
  /** Where it was counted. */
  readonly activity?: TestActivity
  /** The judge can go on to another sample. */
  readonly sound: boolean
}

export function exchange(judging: Judging): Promise<Judged> {
  const { judge, sample, run, load, cpuMs, wallMs, signal } = judging
  return new Promise<Judged>((resolve, reject) => {
    let names: readonly string[] | null = null
    const results = new Map<number, TestResult>()
    let fault: Fault | null = null
    let activity: TestActivity | undefined
    let over = false
    let grace: NodeJS.Timeout | undefined
    let closing: NodeJS.Timeout | undefined

    const finish = (sound: boolean): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      clearTimeout(grace)
      clearTimeout(closing)
      signal.removeEventListener('abort', abort)
      judge.onFrame = () => {}
      void sample.kill()
      if (!sound) void judge.kill()
    }
    const settle = (sound: boolean): void => {
      finish(sound)
      const why = fault?.text ?? 'the tests did not come to an end'
      const tests = (names ?? ['tests']).map(
        (name, index): TestResult => results.get(index) ?? { name, passed: false, message: why },
      )
      resolve({ tests, fault, ...(activity === undefined ? {} : { activity }), sound })
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
      } else if (message.say === 'violation') lose({ kind: message.kind, text: message.text })
      else if (message.say === 'closed') closing = setTimeout(() => void sample.kill(), CLOSED_MS)
      else if (message.say === 'broken') fault ??= { kind: 'crash', text: message.text }
      else {
        activity = message.activity
        settle(true)
      }
    }

    const timer = setTimeout(() => lose(timeoutFault('wall', wallMs)), wallMs)
    judge.onFrame = (frame) => heard(JSON.parse(frame.toString('utf8')) as FromJudge)
    judge.onBadFrame = () => settle(false)
    void sample.ended.then((ended) =>
      // Killed here, and not lost before: it was alive and not at its link.
      lose(ended.how === 'killed' ? CLOSED : faultOf(ended, cpuMs, sample.stderr())),
    )
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
    judge.send({ ...run, link: sample.link } satisfies FromHost)
    sample.sendLast(load)
  })
}
