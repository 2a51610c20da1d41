/**
 * Tests one solution at the integrity level `in-process`: the tests run in the solution's process. The names of the
 * tests were collected before, without the solution. The process must report each of them exactly once, together with
 * the nonce (a secret random text) that the host sent with the tests.
 */
import { randomUUID } from 'node:crypto'
import type { CodeReport, Fault, TestResult, Unready } from '../../../language.ts'
import { whenIdle } from '@assay/sandbox'
import { idleFault } from '../../../time/idle-fault.ts'
import { faultOf, timeoutFault } from './fault.ts'
import type { InProcessLoad } from '../sandboxed/in-process.ts'
import type { Warm } from './warm.ts'

export interface InProcessWork {
  readonly sample: Warm
  readonly load: Omit<InProcessLoad, 'nonce'>
  /** The names of all tests, collected without the solution. */
  readonly names: readonly string[]
  readonly cpuMs: number
  readonly wallMs: number
  readonly signal: AbortSignal
}

export function runInProcess(
  work: InProcessWork,
): Promise<Pick<CodeReport, 'tests' | 'fault' | 'unready'>> {
  const { sample, load, names, cpuMs, wallMs, signal } = work
  const nonce = randomUUID()
  return new Promise((resolve, reject) => {
    const results = new Map<string, TestResult>()
    const expected = new Set(names)
    let fault: Fault | null = null
    let failed: string | null = null
    let unready: Unready | undefined
    let over = false
    const end = (): boolean => {
      if (over) return false
      over = true
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', abort)
      void sample.kill()
      return true
    }
    const settle = (why: Fault | null): void => {
      if (!end()) return
      fault ??= why
      const missing = failed ?? fault?.text ?? 'the test did not report'
      const tests = names.map((name): TestResult =>
        failed === null
          ? (results.get(name) ?? { name, passed: false, message: missing })
          : { name, passed: false, message: failed },
      )
      resolve({ tests, fault, ...(unready === undefined ? {} : { unready }) })
    }
    const refuse = (text: string): void => {
      failed = text
      settle({ kind: 'crash', text })
    }
    function abort(): void {
      if (end()) reject(signal.reason)
    }
    const timer = setTimeout(() => settle(timeoutFault('wall', wallMs)), wallMs)
    const unwatch = whenIdle([sample.pid], cpuMs, () => settle(idleFault({ cpuMs })))
    sample.onBadFrame = () => refuse('the sample sent something that is not a report')
    sample.onFrame = (frame) => {
      const report = parsed(frame)
      if (report === null || report[0] !== nonce) {
        refuse('a report came that is not of the tests')
        return
      }
      const [, kind, name, passed, message] = report
      if (kind === 'failed') {
        failed = String(name)
        if (passed === 'tests') unready = { text: failed }
        settle(null)
      } else if (kind === 'done') settle(null)
      else if (typeof name !== 'string' || !expected.has(name) || results.has(name))
        refuse('a test reported that is not there, or reported twice')
      else
        results.set(name, {
          name,
          passed: passed === true,
          ...(typeof message === 'string' ? { message: message.slice(0, 1000) } : {}),
        })
    }
    void sample.ended.then((ended) => settle(faultOf(ended, cpuMs, sample.stderr())))
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    sample.send({ ...load, nonce } satisfies InProcessLoad)
  })
}

function parsed(frame: Buffer): unknown[] | null {
  try {
    const value: unknown = JSON.parse(frame.toString('utf8'))
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
