/**
 * Calls one function of a suite. The function gets a signal that aborts at the time limit. What it prints and reports
 * is collected for this call. If the function throws, hangs or returns a value that cannot be recorded, the reply says
 * so.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { FunctionCall, FunctionReply, Json, Step, Usage } from '@assay/contract'
import { plainJson } from '../documents/index.ts'
import type { Reported, ReportedStep } from './define.ts'
import type { SuiteParts } from './describe.ts'

/** The most characters of printed text that are kept for one call. */
const MOST_LOG = 100_000
const MOST_STEPS = 10_000
const MOST_STACK = 4000
/** The longest delay that `setTimeout` accepts. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Work {
  log: string
  isCut: boolean
}

const working = new AsyncLocalStorage<Work>()

/** Adds printed text to the call whose code printed it. Returns false if no call printed it. */
export function keepPrinted(text: string): boolean {
  const work = working.getStore()
  if (work === undefined) return false
  const room = MOST_LOG - work.log.length
  if (text.length > room && !work.isCut) {
    work.log += `${text.slice(0, room)}\n… cut here: more than ${MOST_LOG} characters`
    work.isCut = true
  } else if (!work.isCut) work.log += text
  return true
}

export async function runFunction(
  { subjects, graders }: SuiteParts,
  call: FunctionCall,
  outer: AbortSignal,
): Promise<FunctionReply> {
  const from = performance.now()
  const facts = new Facts(from)
  const work: Work = { log: '', isCut: false }
  const done = (how: FunctionReply['how'], more: Partial<FunctionReply> = {}): FunctionReply => ({
    how,
    ...more,
    log: work.log,
    usage: facts.usage,
    usd: facts.usd,
    steps: facts.steps,
    ms: performance.now() - from,
  })
  const own = call.kind === 'answer' ? subjects.get(call.subject) : graders[call.grader]
  if (own === undefined) return done('threw', { text: 'the suite has no such function' })
  const stop = new AbortController()
  const abort = (): void => stop.abort(outer.reason)
  outer.addEventListener('abort', abort, { once: true })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(
      () => {
        stop.abort(new DOMException(`more than ${call.timeoutMs} ms`, 'TimeoutError'))
        resolve(LATE)
      },
      Math.min(call.timeoutMs, LONGEST_TIMER_MS),
    )
  })
  try {
    const given = { ...argumentsOf(call), signal: stop.signal, report: facts.add }
    const returned = working.run(work, async () => await own(given))
    returned.catch(() => {})
    const value = await Promise.race([returned, late])
    if (value === LATE)
      return done('timeout', { text: `did not end within ${call.timeoutMs / 1000} s` })
    if (value === undefined) return done('returned')
    const plain = plainJson(value)
    const [fault] = plain.faults
    return fault === undefined
      ? done('returned', { value: plain.value })
      : done('unrecordable', {
          text: `it returned what cannot be recorded: ${[...fault.path, fault.found].join(': ')}, expected ${fault.expected}`,
        })
  } catch (error) {
    return done('threw', { text: stackOf(error) })
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', abort)
  }
}

const LATE = Symbol('late')

function argumentsOf(call: FunctionCall): Record<string, unknown> {
  const { case: id, index, input } = call
  if (call.kind === 'answer') return { case: id, index, input }
  const expected = call.isExpected ? call.expected : undefined
  return { case: id, index, input, expected, output: call.output }
}

const OWN_FOLDER = new URL('.', import.meta.url).href

export function stackOf(error: unknown): string {
  const text =
    error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
  const lines = text.split('\n')
  // The lines of the stack that belong to Assay's caller are removed, because they do not help the author of the
  // function.
  const end = lines.findIndex((line) => line.includes(OWN_FOLDER))
  return (end === -1 ? lines : lines.slice(0, end)).join('\n').slice(0, MOST_STACK)
}

/** Collects what a function reports about its work. */
class Facts {
  readonly steps: Step[] = []
  usage: Usage | null = null
  usd: number | null = null
  readonly #from: number

  constructor(from: number) {
    this.#from = from
  }

  /**
   * Adds what the function reports to the facts of its trial. Throws a `TypeError` if a reported value is not valid, so
   * that the author of the function notices the mistake.
   */
  readonly add = (facts: Reported): void => {
    const { usage, usd, steps = [] } = facts
    if (usage !== undefined) {
      const sum = this.usage ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }
      this.usage = {
        input: sum.input + amount('usage.input', usage.input),
        cacheRead: sum.cacheRead + amount('usage.cacheRead', usage.cacheRead),
        cacheWrite: sum.cacheWrite + amount('usage.cacheWrite', usage.cacheWrite),
        output: sum.output + amount('usage.output', usage.output),
        reasoning: sum.reasoning + amount('usage.reasoning', usage.reasoning),
      }
    }
    if (usd !== undefined) this.usd = (this.usd ?? 0) + amount('usd', usd)
    for (const step of steps)
      if (this.steps.length < MOST_STEPS) this.steps.push(this.#step(step, this.steps.length))
  }

  #step(step: ReportedStep, place: number): Step {
    const head = { at: Math.round(performance.now() - this.#from), turn: 0 }
    switch (step.kind) {
      case 'tool-call':
        return {
          ...head,
          kind: 'tool-call',
          id: String(place + 1),
          name: step.name,
          args: plainJson(step.args ?? null).value satisfies Json,
          result: step.result === undefined ? null : step.result,
          failed: step.failed === true,
          ms: step.ms ?? null,
        }
      case 'message':
        return { ...head, kind: 'message', role: step.role ?? 'assistant', text: step.text }
      case 'reasoning':
      case 'error':
        return { ...head, kind: step.kind, text: step.text }
      default:
        throw new TypeError(
          'report: a step has one of the kinds tool-call, message, reasoning and error',
        )
    }
  }
}

function amount(name: string, value: number | undefined): number {
  if (value === undefined) return 0
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new TypeError(`report: ${name} must be a number of at least 0`)
  return value
}
