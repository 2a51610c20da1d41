/**
 * Runs the graders of a case on one answer, each with its deadline, and turns each grader's output into a grade. The
 * settings name, weight, required and negate belong to the case and not to a grader. This file applies them for all
 * graders.
 */
import type { FunctionHost, Grade, GraderConfig, Mutable, Text } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import {
  GraderTimeout,
  type AskJudge,
  type GraderInput,
  type Grader,
  type GraderContext,
  type GraderOutput,
  type MemberGrade,
} from './grader.ts'
import { graderByType } from './graders.ts'
import { transformed } from './transform.ts'
import { inputOfTurn } from './turn.ts'

/** Thrown if a grader itself fails. The trial is then errored, because the failure says nothing about the answer. */
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
  /** The functions of the suite. */
  readonly functions?: FunctionHost | null
  /** Asks a model to judge the answer. Absent if no judge can be asked. */
  readonly ask?: AskJudge
  readonly sandboxGraders?: boolean
  /** Converts a text into the form in which log records store it. */
  readonly text: (text: string) => Text | Promise<Text>
  /** Finds a grader by type. Default: the built-in graders. */
  readonly find?: (type: string) => Grader | undefined
}

/** The longest delay that `setTimeout` accepts. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Returns one grade for each grader of the case, in order. `trialOutcome` decides which verdicts count. Rejects with
 * `GraderTimeout` if a grader exceeds its deadline, with `GraderFailure` if one fails, and with the signal's reason
 * if the signal aborts.
 */
export const gradeAnswer = async (graded: GraderInput, options: GradingOptions): Promise<Grade[]> =>
  gradesOf(graded, options)

/**
 * Like `gradeAnswer`, but returns the grades (or throws) without a promise if no grader has to wait for anything.
 * Most graders do not wait. In a run of many trials, a promise for each step would cost more than the grading
 * itself.
 */
export const gradesOf = (
  graded: GraderInput,
  options: GradingOptions,
): Grade[] | Promise<Grade[]> => gradesBy(graded.case.graders, graded, options)

interface OwnOptions extends GradingOptions {
  /** Is called with the name of each grader that could not compare anything. `negate` does not invert its failure. */
  readonly onFinal?: (name: string) => void
}

function gradesBy(
  configs: readonly GraderConfig[],
  graded: GraderInput,
  options: OwnOptions,
): Grade[] | Promise<Grade[]> {
  const grades: Grade[] = []
  for (let at = 0; at < configs.length; at++) {
    const grade = gradeBy(configs[at] as GraderConfig, graded, options)
    if (grade instanceof Promise)
      return withOthers(grades, grade, configs.slice(at + 1), graded, options)
    grades.push(grade)
  }
  return grades
}

/** Collects the remaining grades once a grader has returned a promise. */
async function withOthers(
  grades: Grade[],
  next: Promise<Grade>,
  others: readonly GraderConfig[],
  graded: GraderInput,
  options: OwnOptions,
): Promise<Grade[]> {
  grades.push(await next)
  for (const config of others) grades.push(await gradeBy(config, graded, options))
  return grades
}

function gradeBy(
  config: GraderConfig,
  graded: GraderInput,
  options: OwnOptions,
): Grade | Promise<Grade> {
  options.signal.throwIfAborted()
  const grader = (options.find ?? graderByType)(config.type)
  let given: GraderOutput | Promise<GraderOutput>
  try {
    if (grader === undefined) throw new Error(`there is no grader "${config.type}"`)
    given = output(grader, inputOfTurn(graded, config), config, options)
    if (!(given instanceof Promise)) check(given)
  } catch (error) {
    throw graderError(config, error, options)
  }
  return given instanceof Promise
    ? gradeLater(config, given, options)
    : toGrade(config, given, options)
}

async function gradeLater(
  config: GraderConfig,
  given: Promise<GraderOutput>,
  options: OwnOptions,
): Promise<Grade> {
  let judgement: GraderOutput
  try {
    judgement = await given
    check(judgement)
  } catch (error) {
    throw graderError(config, error, options)
  }
  return toGrade(config, judgement, options)
}

const graderError = ({ name }: GraderConfig, error: unknown, { signal }: OwnOptions): unknown =>
  signal.aborted ? signal.reason : named(name, error)

/**
 * Calls the grader. If it has a transform, applies it to the answer first. If it reads files, waits first
 * until the workspace is ready.
 */
function output(
  grader: Grader,
  graded: GraderInput,
  config: GraderConfig,
  options: GradingOptions,
): GraderOutput | Promise<GraderOutput> {
  const { transform } = config
  if (transform !== undefined)
    return transformed(graded.answer, transform, options).then((part) =>
      'failed' in part
        ? part.failed
        : output(grader, { ...graded, answer: part.text }, withoutTransform(config), options),
    )
  // Setting up the case takes time that is not the answer's fault. So the grader's deadline starts afterwards.
  if (grader.readsFiles === true && graded.workspace !== null)
    return graded.workspace.ready().then(() => judge(grader, graded, config, options))
  return judge(grader, graded, config, options)
}

function withoutTransform(given: GraderConfig): GraderConfig {
  const { transform: _, ...config } = given
  return config
}

/** Grades an answer with the members of a combination. */
async function gradeMembers(
  graded: GraderInput,
  members: readonly GraderConfig[],
  options: GradingOptions,
): Promise<readonly MemberGrade[]> {
  const finals = new Set<string>()
  const onFinal = (name: string): void => void finals.add(name)
  const grades = await gradesBy(members, graded, { ...options, onFinal })
  return grades.map((grade) => ({ grade, isFinal: finals.has(grade.name) }))
}

function named(name: string, error: unknown): Error {
  const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
  return error instanceof GraderTimeout
    ? new GraderTimeout(message, { cause: error })
    : new GraderFailure(name, message, { cause: error })
}

/** Calls the grader with a deadline. The deadline applies only if the grader returns a promise. */
function judge(
  grader: Grader,
  graded: GraderInput,
  config: GraderConfig,
  options: GradingOptions,
): GraderOutput | Promise<GraderOutput> {
  const { timeoutMs, signal } = options
  const context = new OwnContext(options, grader.keepsDeadline === true ? signal : null)
  const given = grader.grade(graded, config.options, context)
  return given instanceof Promise && grader.keepsDeadline !== true
    ? within(given, timeoutMs, signal, context.stopping())
    : given
}

/**
 * The context that a grader is called with. The signal for the grader's own deadline is created only if the grader
 * reads it or returns a promise. Most graders finish at once and need no signal.
 */
class OwnContext implements GraderContext {
  readonly timeoutMs: number
  readonly random: () => number
  readonly sandbox: Sandbox | null
  readonly functions: FunctionHost | null
  readonly sandboxGraders: boolean
  readonly ask?: AskJudge
  readonly gradeMembers: NonNullable<GraderContext['gradeMembers']>
  readonly #given: AbortSignal | null
  #own: AbortController | null = null

  /**
   * `signal` is the run's signal for a grader that applies its deadline itself. It is null for all others, which get
   * their own signal.
   */
  constructor(options: GradingOptions, signal: AbortSignal | null) {
    this.timeoutMs = options.timeoutMs
    this.random = options.random
    this.sandbox = options.sandbox ?? null
    this.functions = options.functions ?? null
    this.sandboxGraders = options.sandboxGraders ?? false
    if (options.ask !== undefined) this.ask = options.ask
    this.gradeMembers = (graded, members) => gradeMembers(graded, members, options)
    this.#given = signal
  }

  get signal(): AbortSignal {
    return this.#given ?? this.stopping().signal
  }

  stopping(): AbortController {
    this.#own ??= new AbortController()
    return this.#own
  }
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

/** Checks the output of a grader, because a grader may have bugs. */
function check({ score, passed }: GraderOutput): void {
  if (score !== null && !(score >= 0 && score <= 1))
    throw new Error(`its score must be from 0 to 1, or null; it is ${String(score)}`)
  if (passed !== null && typeof passed !== 'boolean')
    throw new Error(`its verdict must be true, false or null; it is ${String(passed)}`)
}

function toGrade(
  { name, type, weight, required, negate }: GraderConfig,
  { score, passed, reason, final, evidence, facts, integrity, cause, details }: GraderOutput,
  { text, onFinal }: OwnOptions,
): Grade | Promise<Grade> {
  if (final === true) onFinal?.(name)
  const turn = negate && final !== true && (score !== null || passed !== null)
  // The object is built without spreads, because they are slow and this code runs for every grade of every trial.
  const grade: Mutable<Grade> = {
    name,
    passed: turn && passed !== null ? !passed : passed,
    score: turn && score !== null ? 1 - score : score,
    type,
    weight,
  }
  if (required) grade.required = required
  if (reason !== undefined) grade.reason = turn ? `negated: ${reason}` : reason
  if (evidence !== undefined) grade.evidence = evidence
  if (facts !== undefined) grade.facts = facts
  if (integrity !== undefined) grade.integrity = integrity
  if (cause !== undefined && !turn) grade.cause = cause
  if (details !== undefined) grade.details = details
  return evidence === undefined ? grade : withStored(grade, text(evidence))
}

/** Replaces the evidence with the form in which log records store it. */
function withStored(grade: Mutable<Grade>, evidence: Text | Promise<Text>): Grade | Promise<Grade> {
  if (evidence instanceof Promise) return evidence.then((stored) => withStored(grade, stored))
  grade.evidence = evidence
  return grade
}
