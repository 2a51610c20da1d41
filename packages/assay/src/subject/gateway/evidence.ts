/**
 * Collects what an agent's traffic shows of its work: the tool calls in the replies of its model, their results in its
 * later requests, and the skills whose text it sent. Nothing here comes from what the agent says of itself.
 */
import type { Json } from '@assay/contract'
import { boundedText } from '../agent/trajectory/bounded.ts'
import type { Api } from '../model/wire.ts'
import type { RepliedCall } from './call-reader.ts'
import { requestResults, type ReturnedResult } from './request-results.ts'
import { skillsInRequest, type SkillText } from './skill-text.ts'

export interface SeenCall {
  /** Milliseconds since the trial's start. */
  readonly at: number
  readonly id: string
  readonly name: string
  readonly args: Json
  /** Null if no later request had a result. */
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

/** What was seen in the traffic of one trial, in the order in which it was seen. */
export interface Seen {
  readonly calls: readonly SeenCall[]
  readonly skills: readonly SeenSkill[]
  /** Some replies could not be read, or there was too much. What is missing can contain anything. */
  readonly isLossy: boolean
}

/** What one request shows. It counts when the request is answered. */
export interface Noticed {
  readonly results: readonly ReturnedResult[]
  readonly skills: readonly string[]
}

/** What one reply shows. */
export interface RepliedCalls {
  readonly calls: readonly RepliedCall[]
  /** Whether the reply reached its own end. Calls of a broken reply count if the agent returns a result for them. */
  readonly isComplete: boolean
  readonly isLossy: boolean
}

const MOST_CALLS = 20_000
/** The limit on characters of all arguments and results. */
const MOST_KEPT = 16 * 1024 * 1024

interface KeptCall extends Omit<SeenCall, 'result'> {
  result: SeenCall['result']
  isCounted: boolean
}

export class Evidence {
  readonly #skills: readonly SkillText[]
  readonly #calls: KeptCall[] = []
  /** The calls without a result. */
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

  /** Adds a request that was answered, with its reply. */
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
