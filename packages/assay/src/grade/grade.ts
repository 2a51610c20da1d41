/**
 * Runs the graders of a case on one answer, each within its deadline, and turns each judgement into a grade. Name,
 * weight, required and negate belong to the case and are handled here for all graders.
 */
import type { Grade, GraderConfig, Text } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import {
  GraderTimeout,
  type AskJudge,
  type GraderInput,
  type Grader,
  type GraderContext,
  type GraderOutput,
} from './grader.ts'
import { graderByType } from './graders.ts'

/** A grader failed by itself: the trial is errored, whatever the answer was. */
export class GraderFailure extends Error {
  override readonly name = 'GraderFailure'
  /** The grader's name in the case. */
  readonly grader: string

  constructor(grader: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.grader = grader
  }
}

export interface GradingOptions {
  /** The time limit of each grader. */
  readonly timeoutMs: number
  /** Aborts when the run is stopping. */
  readonly signal: AbortSignal
  /** Returns uniform random numbers that depend only on this trial. */
  readonly random: () => number
  readonly sandbox?: Sandbox | null
  /** Asks a judge. Absent if no judge can be asked. */
  readonly ask?: AskJudge
  readonly sandboxGraders?: boolean
  /** Converts a text into the form that the record keeps. */
  readonly text: (text: string) => Promise<Text>
  /** Finds a grader by type. Default: the built-in graders. */
  readonly find?: (type: string) => Grader | undefined
}

/** A timer longer than this would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Returns one grade for each grader of the case, in order. `trialOutcome` decides which verdicts count. Rejects with
 * `GraderTimeout` if a grader exceeds its deadline, with `GraderFailure` if one fails, and with the signal's reason
 * if the signal aborts.
 */
export async function gradeAnswer(graded: GraderInput, options: GradingOptions): Promise<Grade[]> {
  const grades: Grade[] = []
  for (const config of graded.case.graders) {
    options.signal.throwIfAborted()
    let judgement: GraderOutput
    const grader = (options.find ?? graderByType)(config.type)
    try {
      if (grader === undefined) throw new Error(`there is no grader "${config.type}"`)
      const given = judge(grader, graded, config, options)
      // Most graders return at once. Not awaiting them saves a turn of the event loop.
      judgement = given instanceof Promise ? await given : given
      check(judgement)
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason
      throw named(config.name, error)
    }
    grades.push(await toGrade(config, judgement, options))
  }
  return grades
}

function named(name: string, error: unknown): Error {
  const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
  return error instanceof GraderTimeout
    ? new GraderTimeout(message, { cause: error })
    : new GraderFailure(name, message, { cause: error })
}

/** Calls the grader. If it returns a promise, the deadline applies. */
function judge(
  grader: Grader,
  graded: GraderInput,
  config: GraderConfig,
  { timeoutMs, signal, random, sandbox = null, ask, sandboxGraders = false }: GradingOptions,
): GraderOutput | Promise<GraderOutput> {
  const context: Omit<GraderContext, 'signal'> = {
    timeoutMs,
    random,
    sandbox,
    sandboxGraders,
    ...(ask === undefined ? {} : { ask }),
  }
  if (grader.keepsDeadline === true)
    return grader.grade(graded, config.options, { ...context, signal })

  // Created only if the grader reads the signal: most graders finish before a signal could matter.
  let own: AbortController | null = null
  const stopping = (): AbortController => {
    own ??= new AbortController()
    return own
  }
  const given = grader.grade(graded, config.options, {
    ...context,
    get signal() {
      return stopping().signal
    },
  })
  return given instanceof Promise ? within(given, timeoutMs, signal, stopping()) : given
}

function within(
  given: Promise<GraderOutput>,
  timeoutMs: number,
  signal: AbortSignal,
  own: AbortController,
): Promise<GraderOutput> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      reject(reason)
      own.abort(reason)
    }
    const abort = (): void => stop(signal.reason)
    const expire = (): void => stop(new GraderTimeout(`did not end within ${timeoutMs / 1000} s`))
    const timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS))
    signal.addEventListener('abort', abort, { once: true })
    given.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    })
  })
}

/** Checks the result of a grader before it counts: graders have bugs too. */
function check({ score, passed }: GraderOutput): void {
  if (score !== null && !(score >= 0 && score <= 1))
    throw new Error(`its score must be from 0 to 1, or null; it is ${String(score)}`)
  if (passed !== null && typeof passed !== 'boolean')
    throw new Error(`its verdict must be true, false or null; it is ${String(passed)}`)
}

async function toGrade(
  { name, type, weight, required, negate }: GraderConfig,
  { score, passed, reason, final, evidence, facts, integrity, cause, details }: GraderOutput,
  { text }: GradingOptions,
): Promise<Grade> {
  const turn = negate && final !== true && (score !== null || passed !== null)
  return {
    name,
    type,
    score: turn && score !== null ? 1 - score : score,
    passed: turn && passed !== null ? !passed : passed,
    weight,
    ...(required ? { required } : {}),
    ...(reason === undefined ? {} : { reason: turn ? `negated: ${reason}` : reason }),
    ...(evidence === undefined ? {} : { evidence: await text(evidence) }),
    ...(facts === undefined ? {} : { facts }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(cause === undefined || turn ? {} : { cause }),
    ...(details === undefined ? {} : { details }),
  }
}
