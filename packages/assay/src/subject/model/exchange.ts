/**
 * Sends the requests for one answer and sums up their cost. Nearly always there is a single request. The AI SDK uses
 * this class as its `fetch`, but it gets only replies that contain an answer. Any other reply becomes an error here,
 * with the status, the time to wait before a retry, and the usage in the reply.
 */
import type { Usage } from '@assay/contract'
import { IMPOSSIBLE_COST, IMPOSSIBLE_USAGE, soundUsd } from '../amounts.ts'
import type { Connection, Reply } from './connection.ts'
import { failedConnection, failedReply, unreadable, type Asked, type Spend } from './failure.ts'
import { isRecord, parseJson } from '../json.ts'
import { INVALID_UTF8 } from '../utf8.ts'
import {
  addUsage,
  hasAnswer,
  isFiltered,
  readCost,
  readError,
  readUsage,
  reportsUsage,
  withoutUsage,
  type Api,
} from './wire.ts'

/**
 * The most requests for one answer. Google sends long answers in parts, and the SDK requests the parts one after the
 * other.
 */
const MOST_INSTALMENTS = 32

/**
 * Thrown if the provider's content filter refused the request. The trial then has an empty answer. It is not errored.
 */
export class Filtered extends Error {
  override readonly name = 'Filtered'
}

export interface ExchangeOptions {
  readonly connection: Connection
  readonly asked: Asked
  readonly api: Api
  readonly cost: (usage: Usage) => number | null
  /** Whether replies contain their cost. */
  readonly reportsCost?: boolean
  readonly now: () => number
}

export class Exchange {
  readonly #options: ExchangeOptions
  #instalments = 0
  #usage: Usage | null = null
  /** The sum of the costs that the replies state. Null if a reply does not state its cost. */
  #statedUsd: number | null = null
  #isImpossibleCost = false
  #status: number | null = null
  #text = ''
  #isImpossible = false
  #isUtf8 = true

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** The status of the last reply and the cost of all replies. All fields are null if no reply came. */
  get spend(): Spend {
    const usd = this.#statedUsd ?? (this.#usage === null ? null : this.#options.cost(this.#usage))
    return { status: this.#status, usage: this.#usage, usd }
  }

  /** Remarks about usage that was ignored because it is impossible, and about text that was not valid UTF-8. */
  get remarks(): string[] {
    return [
      ...(this.#isImpossible ? [IMPOSSIBLE_USAGE] : []),
      ...(this.#isImpossibleCost ? [IMPOSSIBLE_COST] : []),
      ...(this.#isUtf8 ? [] : [INVALID_UTF8]),
    ]
  }

  /** The text of the last reply, for error messages. */
  get text(): string {
    return this.#text
  }

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { asked, api, now } = this.#options
    if (++this.#instalments > MOST_INSTALMENTS) {
      throw unreadable(asked, 'it goes on without an end', this.spend)
    }
    const reply = await this.#send(new URL(url instanceof Request ? url.url : url), init)
    const json = parseJson(reply.text)
    const usage = readUsage(api, json)
    if (usage === null && reportsUsage(api, json)) this.#isImpossible = true
    this.#usage = this.#instalments === 1 ? usage : addUsage(this.#usage, usage)
    this.#readCost(json)
    this.#status = reply.status
    if (!reply.isUtf8) this.#isUtf8 = false
    this.#text = reply.text
    if (isFiltered(json)) throw new Filtered(readError(json)?.message)
    const failure = failedReply(asked, reply, json, now(), this.spend)
    if (failure !== null) throw failure
    if (!isRecord(json) || !hasAnswer(api, json)) throw unreadable(asked, reply.text, this.spend)
    return Response.json(withoutUsage(api, json))
  }

  #readCost(json: unknown): void {
    if (this.#options.reportsCost !== true) return
    const stated = readCost(json)
    const usd = stated === undefined ? null : soundUsd(stated)
    if (stated !== undefined && usd === null) this.#isImpossibleCost = true
    this.#statedUsd =
      usd === null || (this.#instalments > 1 && this.#statedUsd === null)
        ? null
        : (this.#statedUsd ?? 0) + usd
  }

  async #send(url: URL, init: RequestInit | undefined): Promise<Reply> {
    const { connection, asked } = this.#options
    const signal = init?.signal ?? AbortSignal.abort()
    try {
      return await connection.send({
        method: 'POST',
        url,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: typeof init?.body === 'string' ? init.body : null,
        signal,
      })
    } catch (error) {
      throw signal.aborted ? error : failedConnection(asked, error)
    }
  }
}
