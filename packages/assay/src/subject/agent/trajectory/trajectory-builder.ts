/**
 * Builds a trajectory from what the reader of an agent's stream reports. Steps are in the order in which they began. A
 * result is stored with its call, even if other steps came between them. All sizes are limited. `oddities` lists what
 * was left out, and the raw stream still contains it. The input may be cut off, duplicated, out of order or
 * meaningless. None of that is an error here.
 */
import type { Json, Step, Trajectory, Usage } from '@assay/contract'
import { counted } from '../../../text/index.ts'
import type { StreamEnd, TrajectorySink } from '../agent-kind.ts'
import { boundedJson, boundedText, MOST_TEXT } from './bounded.ts'
import { Oddities } from './oddities.ts'
import { IMPOSSIBLE_COST, IMPOSSIBLE_USAGE, isSoundUsage, soundUsd } from '../../amounts.ts'
import { Spent, type PriceOf } from './spent.ts'

export interface BuilderOptions {
  /** Returns the milliseconds since the trial's start. */
  readonly now: () => number
  readonly price: PriceOf
  /** The path of the workspace as the agent sees it. Paths inside the workspace are stored relative to it. */
  readonly folder: string
}

/** The counts to which the limits of a case apply. */
export interface Counts {
  readonly turns: number
  readonly toolCalls: number
  readonly tokens: number
  /** The known part of the cost. */
  readonly usd: number
}

const MOST_STEPS = 20_000
/** The most characters of all steps together. */
const MOST_KEPT = 16 * 1024 * 1024
const MOST_NAME = 500
/** The most characters of an answer. This is enough for a whole program. */
const MOST_ANSWER = 8 * 1024 * 1024

const SESSION = /^[\w.:/@+=][\w.:/@+=-]{0,499}$/u

type Call = Extract<Step, { kind: 'tool-call' }>
type Carrier = Extract<Step, { kind: 'message' | 'reasoning' | 'tool-call' }>
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Headless<T> = T extends unknown ? Omit<T, 'at' | 'turn'> : never

/** A tool call and its step. If the limit on the trajectory's size was already reached, the step is not part of it. */
interface ToldCall {
  readonly step: Mutable<Call>
  readonly isKept: boolean
  /** Whether Assay added the call because a result came without a call before it. */
  madeUp: boolean
}

export class TrajectoryBuilder implements TrajectorySink {
  readonly #options: BuilderOptions
  readonly #spent: Spent
  readonly #steps: Mutable<Step>[] = []
  readonly #oddities = new Oddities()
  /** The tool calls of this start of the program, by id. Another start may use the same ids again. */
  #calls = new Map<string, ToldCall>()
  /**
   * For each request of this start of the program, the step that stores the request's usage. Null if it has no step.
   */
  #carriers = new Map<string, Mutable<Carrier> | null>()
  /** The step that will store the usage of the next request. It is the first suitable step after the last request. */
  #carrier: Mutable<Carrier> | null = null
  #kept = 0
  #dropped = 0
  #isUsageUnknown = false
  #isCut = false
  #toolCalls = 0
  #unnamed = 0
  #turn = 0
  #starts = 0
  #ended = 0
  #end: StreamEnd | null = null
  #session: string | null = null
  #model: string | null = null
  #version: string | null = null
  #answer: string | null = null
  #lastWords = ''
  #firstTokenMs: number | null = null
  #isTold = false

  constructor(options: BuilderOptions) {
    this.#options = options
    this.#spent = new Spent(options.price)
  }

  /** Called before the program is started for one of the user's turns. */
  beginTurn(turn: number, prompt: string): void {
    this.#turn = turn
    this.#starts++
    this.#calls = new Map()
    this.#carriers = new Map()
    this.#carrier = null
    this.#end = null
    this.#answer = null
    this.#lastWords = ''
    this.#spent.begin()
    this.#add({ kind: 'message', role: 'user', text: this.#text(prompt, 'the prompt') })
  }

  get counts(): Counts {
    const { requests, tokens, usd } = this.#spent
    return { turns: requests, toolCalls: this.#toolCalls, tokens, usd }
  }

  get sessionId(): string | null {
    return this.#session
  }

  /** How the stream of this turn ended. Null if the stream has not reported an end. */
  get ended(): StreamEnd | null {
    return this.#end
  }

  /** Whether the agent has reported any work. Events that Assay does not understand do not count. */
  get isTold(): boolean {
    return this.#isTold
  }

  /** The final text of this turn. */
  get answerText(): string {
    return this.#answer ?? this.#lastWords
  }

  /** The total usage. Null if no usage was reported, or if a count was not valid, because the sum is then unknown. */
  get usage(): Usage | null {
    return this.#isUsageUnknown ? null : this.#spent.whole()
  }

  get usd(): number | null {
    return this.#spent.cost().usd
  }

  /** The lowest possible cost, which is the part of the cost that is known. */
  get atLeastUsd(): number {
    return this.#spent.atLeastUsd()
  }

  build(format: string): Trajectory {
    const { usd, from } = this.#spent.cost()
    const oddities = this.#oddities.list()
    if (this.#dropped > 0)
      oddities.push(
        `${counted(this.#dropped, 'more step is', 'more steps are')} not kept here: there are too many, or too long`,
      )
    return {
      version: 1,
      format,
      agentVersion: this.#version,
      model: this.#model,
      steps: this.#steps.map((step) => ({ ...step })),
      usage: this.#spent.byModel(),
      usd,
      usdFrom: from,
      turns: this.#spent.requests,
      firstTokenMs: this.#firstTokenMs,
      ms: this.#now(),
      complete: this.#starts > 0 && this.#ended === this.#starts,
      // `lossy` says that steps are missing. Otherwise an agent could hide its actions by printing so much that steps
      // are left out.
      ...(this.#dropped > 0 || this.#isCut ? { lossy: true as const } : {}),
      oddities,
    }
  }

  // ── What a reader reports ──────────────────────────────────────────────────────────────────────────

  session(id: string): void {
    this.#isTold = true
    // The id becomes an argument of the program, so it must not look like an option.
    if (SESSION.test(id)) this.#session = id
    else if (id !== '') this.odd('a session has a name that cannot be passed on')
  }

  model(name: string): void {
    this.#model = boundedText(name, MOST_NAME).value
    this.#isTold = true
  }

  version(text: string): void {
    this.#version = boundedText(text, MOST_NAME).value
    this.#isTold = true
  }

  begun(): void {
    this.#isTold = true
    this.#firstTokenMs ??= this.#now()
  }

  message(role: 'assistant' | 'system', text: string): void {
    if (role === 'assistant' && text !== '') {
      this.begun()
      this.#lastWords = boundedText(text, MOST_ANSWER).value
    }
    if (text !== '') this.#add({ kind: 'message', role, text: this.#text(text, 'a message') })
  }

  reasoning(text: string): void {
    this.begun()
    if (text !== '') this.#add({ kind: 'reasoning', text: this.#text(text, 'a reasoning') })
  }

  toolCall({
    id,
    name,
    args,
  }: {
    readonly id: string
    readonly name: string
    readonly args: Json
  }) {
    this.begun()
    const called = this.#name(name)
    const given = boundedJson(args)
    if (given.isCut) this.odd('the arguments of a call were cut')
    const known = this.#calls.get(id)
    if (known?.madeUp === true) {
      known.madeUp = false
      this.#toolCalls++
      known.step.name = called
      known.step.args = given.value
      this.#kept += given.size
      return
    }
    if (known !== undefined && isSame(known.step, called, given.value)) {
      this.odd('a call was told twice')
      return
    }
    this.#toolCalls++
    this.#call(id, called, given.value, given.size)
  }

  toolDetails({ id, name, args }: Parameters<TrajectorySink['toolDetails']>[0]): void {
    const known = this.#calls.get(id)
    if (known === undefined || known.madeUp) return
    const given = boundedJson(args)
    if (given.isCut) this.odd('the arguments of a call were cut')
    known.step.name = this.#name(name)
    known.step.args = known.isKept && this.#kept + given.size > MOST_KEPT ? '…' : given.value
    if (known.isKept) this.#kept += given.size
  }

  toolResult(
    id: string,
    { text, failed }: { readonly text: string; readonly failed: boolean },
  ): void {
    let told = this.#calls.get(id)
    if (told === undefined) {
      this.odd('a result came for a call that was not told')
      told = this.#call(id, '', null, 0)
      told.madeUp = true
    }
    const { step } = told
    if (step.result !== null) {
      this.odd('a second result came for the same call')
      return
    }
    const room = told.isKept ? Math.max(0, MOST_KEPT - this.#kept) : 0
    step.result = this.#text(text, 'a result', room)
    step.failed = failed
    step.ms = Math.max(0, this.#now() - step.at)
    this.#kept += step.result.length
  }

  fileChange(path: string, change: 'added' | 'changed' | 'deleted'): void {
    const { folder } = this.#options
    const inside = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
    this.#add({ kind: 'file-change', path: boundedText(inside, 4096).value, change })
  }

  skill(name: string): void {
    this.#add({ kind: 'skill', name: this.#name(name) })
  }

  error(text: string): void {
    this.#add({ kind: 'error', text: this.#text(text, 'an error') })
  }

  other(type: string, raw: string): void {
    this.#add({ kind: 'other', type: this.#name(type), raw: this.#text(raw, 'an event') })
  }

  request(
    id: string,
    { model, usage, usd = null }: Parameters<TrajectorySink['request']>[1],
  ): void {
    this.begun()
    const name = this.#name(model ?? this.#model ?? 'unknown')
    this.#checkNumbers(usage === null ? [] : [usage], usd)
    const spent = this.#spent.request(id, name, usage, usd)
    if (!this.#carriers.has(id)) {
      this.#carriers.set(id, this.#carrier)
      this.#carrier = null
    }
    const carrier = this.#carriers.get(id) ?? null
    if (carrier === null || spent.usage === null) return
    carrier.usage = spent.usage
    if (spent.usd === null) delete carrier.usd
    else carrier.usd = spent.usd
  }

  totals(usage: Readonly<Record<string, Usage>>, usd: number | null, knownUsd = 0): void {
    this.#isTold = true
    this.#checkNumbers(Object.values(usage), usd ?? knownUsd)
    this.#spent.totals(usage, usd, knownUsd)
  }

  #checkNumbers(usages: readonly Usage[], usd: number | null): void {
    if (!usages.every(isSoundUsage)) {
      this.odd(IMPOSSIBLE_USAGE)
      // Token counts that are not valid cannot be priced. So the cost is unknown too, unless the agent reported a valid
      // cost.
      if (usd === null || soundUsd(usd) === null) this.#spent.lose()
    }
    if (usd !== null && soundUsd(usd) === null) this.odd(IMPOSSIBLE_COST)
  }

  answer(text: string): void {
    this.#answer = boundedText(text, MOST_ANSWER).value
  }

  end(how: StreamEnd): void {
    if (this.#end === null) this.#ended++
    this.#end = how
  }

  /** Records that some lines were too long to be read. Their content is unknown, so the cost is unknown too. */
  unreadLines(count: number): void {
    this.#isCut = true
    this.#spent.lose()
    this.odd(`${count} ${count === 1 ? 'line is' : 'lines are'} too long to be read`)
  }

  odd(text: string): void {
    if (text === IMPOSSIBLE_USAGE) this.#isUsageUnknown = true
    this.#oddities.add(text)
  }

  // ── Storing steps ──────────────────────────────────────────────────────────────────────────────────

  #call(id: string, name: string, args: Json, size: number): ToldCall {
    // A call without an id gets a new id. Results cannot be matched with it.
    const key = id === '' ? `call-${++this.#unnamed}` : boundedText(id, MOST_NAME).value
    const call = { kind: 'tool-call' as const, id: key, name, args }
    const step = this.#add(
      { ...call, result: null, failed: false, ms: null },
      size,
    ) as Mutable<Call>
    const told = { step, isKept: this.#steps.at(-1) === step, madeUp: false }
    if (id !== '') this.#calls.set(id, told)
    return told
  }

  /** Creates the step. Adds it to the trajectory, unless the trajectory has reached its size limit. */
  #add(told: Headless<Step>, size = sizeOf(told)): Mutable<Step> {
    const step = { at: this.#now(), turn: this.#turn, ...told } as Mutable<Step>
    if (this.#steps.length >= MOST_STEPS || this.#kept + size > MOST_KEPT) {
      this.#dropped++
      return step
    }
    this.#kept += size
    this.#steps.push(step)
    if (canCarry(step)) this.#carrier ??= step
    return step
  }

  #text(text: string, what: string, room = MOST_TEXT): string {
    const { value, isCut } = boundedText(text, Math.min(room, MOST_TEXT))
    if (isCut) this.odd(`${what} was cut`)
    return value
  }

  #name = (name: string): string => boundedText(name, MOST_NAME).value

  #now(): number {
    return Math.round(this.#options.now())
  }
}

const canCarry = (step: Mutable<Step>): step is Mutable<Carrier> =>
  step.kind === 'reasoning' ||
  step.kind === 'tool-call' ||
  (step.kind === 'message' && step.role === 'assistant')

const sizeOf = (step: Headless<Step>): number =>
  100 + ('text' in step ? step.text.length : 'raw' in step ? step.raw.length : 0)

const isSame = (step: Call, name: string, args: Json): boolean =>
  step.name === name && JSON.stringify(step.args) === JSON.stringify(args)
