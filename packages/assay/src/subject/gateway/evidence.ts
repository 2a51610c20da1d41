/**
 * Collects what an agent's traffic with its model shows: the tool calls in the model's replies, the results of these
 * calls in the agent's later requests, and the skills whose text the agent sent. It does not use the agent's own
 * reports.
 */
import type { Json } from '@assay/contract'
import { boundedText } from '../agent/trajectory/bounded.ts'
import type { Api } from '../model/wire.ts'
import type { RepliedCall } from './call-reader.ts'
import { requestResults, type ReturnedResult } from './request-results.ts'
import { skillsInRequest, type SkillText } from './skill-text.ts'

export interface SeenCall {
  /** When the call was seen, in milliseconds since the trial's start. */
  readonly at: number
  readonly id: string
  readonly name: string
  readonly args: Json
  /** The result of the call. Null if no later request contained one. */
  readonly result: {
    readonly text: string
    readonly failed: boolean | null
    readonly at: number
  } | null
}

export interface SeenSkill {
  readonly at: number
  readonly name: string
}

/** What the traffic of one trial shows, in the order in which it was seen. */
export interface Seen {
  readonly calls: readonly SeenCall[]
  readonly skills: readonly SeenSkill[]
  /**
   * Whether something is missing, because a reply could not be read or there was too much data. Nothing is known about
   * the missing part.
   */
  readonly isLossy: boolean
}

/** What one request shows. It counts only if the request gets an answer. */
export interface Noticed {
  readonly results: readonly ReturnedResult[]
  readonly skills: readonly string[]
}

/** What one reply of the model shows. */
export interface RepliedCalls {
  readonly calls: readonly RepliedCall[]
  /**
   * Whether the reply is complete. A call in an incomplete reply counts only if the agent later sends a result for it.
   */
  readonly isComplete: boolean
  readonly isLossy: boolean
}

const MOST_CALLS = 20_000
/** The most characters that are kept of all arguments and results. */
const MOST_KEPT = 16 * 1024 * 1024

interface KeptCall extends Omit<SeenCall, 'result'> {
  result: SeenCall['result']
  isCounted: boolean
}

export class Evidence {
  readonly #skills: readonly SkillText[]
  readonly #calls: KeptCall[] = []
  /** The calls that have no result yet. */
  readonly #open = new Set<KeptCall>()
  readonly #used = new Map<string, number>()
  #counted = 0
  #kept = 0
  #isLossy = false

  constructor(skills: readonly SkillText[]) {
    this.#skills = skills
  }

  /** The number of tool calls that the model has made. */
  get toolCalls(): number {
    return this.#counted
  }

  read(api: Api, asked: unknown): Noticed {
    const unused = this.#skills.filter(({ name }) => !this.#used.has(name))
    const sought = new Set([...this.#open].flatMap(({ id, name }) => [id, name]))
    return {
      results:
        this.#open.size === 0
          ? []
          : requestResults(api, asked)
              .filter(({ id, name }) => sought.has(id) || sought.has(name))
              .map((one) => ({ ...one, text: boundedText(one.text).value })),
      skills: skillsInRequest(asked, unused),
    }
  }

  /** Adds a request that got an answer, and this answer. */
  answered(at: number, { results, skills }: Noticed, replied: RepliedCalls): void {
    for (const name of skills) if (!this.#used.has(name)) this.#used.set(name, at)
    for (const result of results) this.#result(at, result)
    this.#isLossy ||= replied.isLossy
    for (const call of replied.calls) this.#call(at, call, replied.isComplete)
  }

  list(): Seen {
    return {
      calls: this.#calls.filter(({ isCounted }) => isCounted),
      skills: [...this.#used].map(([name, at]) => ({ at, name })),
      isLossy: this.#isLossy,
    }
  }

  #call(at: number, { id, name, args }: RepliedCall, isCounted: boolean): void {
    const isFull = this.#calls.length >= MOST_CALLS || !this.#hasRoom(JSON.stringify(args).length)
    if (isCounted) this.#counted++
    if (isFull) {
      this.#isLossy = true
      return
    }
    const call: KeptCall = { at, id, name, args, result: null, isCounted }
    this.#calls.push(call)
    this.#open.add(call)
  }

  #result(at: number, { id, name, text, failed }: ReturnedResult): void {
    const call = [...this.#open].find((one) =>
      id === '' || one.id === '' ? one.name === name : one.id === id,
    )
    if (call === undefined) return
    this.#open.delete(call)
    const room = this.#hasRoom(text.length)
    if (!room) this.#isLossy = true
    call.result = { text: room ? text : '…', failed, at }
    if (call.isCounted) return
    call.isCounted = true
    this.#counted++
  }

  #hasRoom(size: number): boolean {
    this.#kept += size
    return this.#kept <= MOST_KEPT
  }
}
