/**
 * Tests one solution at the integrity level `isolated`. The tester and the solution are two processes that
 * communicate directly over a channel (the link). The host sends the tests to the tester and the code to the
 * solution's process, and enforces the time limit. It trusts only the tester. When the solution ends or exceeds its
 * time, the host notifies the tester, which then reports the results. If the tester does not answer in time, the
 * results so far are kept and the remaining tests count as failed.
 */
import type { Fault, TestActivity, TestResult, Unready } from '../../../language.ts'
import { whenIdle } from '@assay/sandbox'
import { idleFault } from '../../../time/idle-fault.ts'
import { faultOf, timeoutFault } from './fault.ts'
import type { FromHost, FromTester } from '../sandboxed/test-session.ts'
import type { Load } from '../sandboxed/modules.ts'
import type { Warm } from './warm.ts'

/** How long the tester may take to finish once the solution has ended. */
const GRACE_MS = 5000
/**
 * How long the host waits for the solution's process to end, after the tester has reported that the link was closed.
 */
const CLOSED_MS = 1000

const CLOSED: Fault = { kind: 'crash', text: 'the sample closed its connection to the tests' }

export interface TestSession {
  readonly tester: Warm
  readonly sample: Warm
  /** The index of the tester's pipe to which the solution's process is linked. */
  readonly link: number
  /** Whether the process may hold other solutions afterwards. Only processes for references do. */
  readonly stays: boolean
  readonly run: Omit<Extract<FromHost, { say: 'run' }>, 'link'>
  readonly load: Load
  readonly cpuMs: number
  readonly wallMs: number
  readonly signal: AbortSignal
}

export interface Testerd {
  readonly tests: readonly TestResult[]
  readonly fault: Fault | null
  /** What the tests did. Set if the caller requested counting. */
  readonly activity?: TestActivity
  readonly skipped?: readonly string[]
  /** Set if the tests could not be loaded. */
  readonly unready?: Unready
  /** Whether the tester can test another solution. */
  readonly sound: boolean
}

export function exchange(testing: TestSession): Promise<Testerd> {
  const { tester, sample, link, stays, run, load, cpuMs, wallMs, signal } = testing
  return new Promise<Testerd>((resolve, reject) => {
    let names: readonly string[] | null = null
    let skipped: readonly string[] = []
    const results = new Map<number, TestResult>()
    let fault: Fault | null = null
    let activity: TestActivity | undefined
    let unready: Unready | undefined
    let over = false
    let grace: NodeJS.Timeout | undefined
    let closing: NodeJS.Timeout | undefined

    const finish = (sound: boolean): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      unwatch()
      clearTimeout(grace)
      clearTimeout(closing)
      signal.removeEventListener('abort', abort)
      tester.onFrame = () => {}
      if (!stays || !sound || fault !== null) void sample.kill()
      if (!sound) void tester.kill()
    }
    const settle = (sound: boolean): void => {
      finish(sound)
      const why = fault?.text ?? 'the tests did not come to an end'
      const tests = (names ?? ['tests']).map(
        (name, index): TestResult => results.get(index) ?? { name, passed: false, message: why },
      )
      resolve({
        tests,
        fault,
        ...(skipped.length === 0 ? {} : { skipped }),
        ...(activity === undefined ? {} : { activity }),
        ...(unready === undefined ? {} : { unready }),
        sound,
      })
    }
    const lose = (why: Fault): void => {
      if (over || fault !== null) return
      fault = why
      void sample.kill()
      tester.send({ say: 'lost', text: why.text } satisfies FromHost)
      grace = setTimeout(() => settle(false), GRACE_MS)
    }
    function abort(): void {
      finish(false)
      reject(signal.reason)
    }

    const heard = (message: FromTester): void => {
      if (message.say === 'names') {
        names = message.names
        skipped = message.skipped ?? []
      } else if (message.say === 'result') {
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
        unready = message.unready
        settle(true)
      }
    }

    const timer = setTimeout(() => lose(timeoutFault('wall', wallMs)), wallMs)
    const unwatch = whenIdle([tester.pid, sample.pid], cpuMs, () => lose(idleFault({ cpuMs })))
    tester.onFrame = (frame) => heard(JSON.parse(frame.toString('utf8')) as FromTester)
    tester.onBadFrame = () => settle(false)
    void sample.ended.then((ended) =>
      // `killed` means that the host ended the process. The process was still running, although it had closed its
      // link.
      lose(ended.how === 'killed' ? CLOSED : faultOf(ended, cpuMs, sample.stderr())),
    )
    const testerEnded = (): void => {
      fault ??= { kind: 'crash', text: 'the process that runs the tests ended' }
      settle(false)
    }
    void tester.ended.then(testerEnded)
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    tester.send({ ...run, link } satisfies FromHost)
    if (stays) sample.send(load)
    else sample.sendLast(load)
  })
}
