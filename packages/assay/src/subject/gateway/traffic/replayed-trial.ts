/**
 * Answers the requests of an agent from the recorded traffic of an earlier trial. Each recorded reply is used once, for
 * the first request that equals the recorded one. Parallel requests may arrive in another order than in the recording.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Usage } from '@assay/contract'
import type { Exchange, Traffic } from '../../../log/index.ts'
import { requestDifference, type Difference } from './request-difference.ts'
import type { Asked } from './traffic-recorder.ts'

export class ReplayedTrial {
  readonly #traffic: Traffic
  readonly #unused: Set<Exchange>
  readonly #remarks: string[] = []
  #asked = 0
  #differs: string | null = null

  constructor(traffic: Traffic) {
    this.#traffic = traffic
    this.#unused = new Set(traffic.exchanges)
  }

  /**
   * Describes the first request that differs from the recorded one. The replay ends there. Null if no request differs.
   */
  get differs(): string | null {
    return this.#differs
  }

  /** Differences that did not end the replay, and recorded requests that the agent did not send. */
  get remarks(): readonly string[] {
    const calls = [...this.#unused].filter(({ usage }) => usage !== null).length
    return [
      ...this.#remarks,
      ...(calls === 0 ? [] : [`${calls} of the recorded requests were not made in the replay`]),
    ]
  }

  /** Returns the recorded reply to a request. Throws if there is none. */
  reply(asked: Asked): IncomingMessage {
    const number = ++this.#asked
    const found = this.#find(asked)
    if (found === null) {
      const { method, path } = asked
      // A missing list of models does not end the replay, because it does not change the agent's work.
      if (method === 'GET') return message({ status: 404, type: 'application/json', reply: '{}' })
      const { length } = this.#traffic.exchanges
      const cut = this.#traffic.isCut === true ? ', which is not complete' : ''
      return this.#end(
        `request ${number} (${method} ${path}) was not recorded: the recording has ${length} requests${cut}`,
      )
    }
    const { exchange, difference } = found
    if (difference !== null && !difference.isResult) return this.#end(words(number, difference))
    if (difference !== null) this.#remarks.push(`replay: ${words(number, difference)}`)
    this.#unused.delete(exchange)
    if (exchange.status === null) throw new Error('this request had no reply when it was recorded')
    return message({ ...exchange, status: exchange.status })
  }

  /** Returns what a request cost when it was recorded. Returns null if that is not known. */
  usd(model: string, usage: Usage): number | null {
    const same = JSON.stringify([model, usage])
    return (
      this.#traffic.exchanges.find((one) => JSON.stringify([one.model, one.usage]) === same)?.usd ??
      null
    )
  }

  #find(
    asked: Asked,
  ): { readonly exchange: Exchange; readonly difference: Difference | null } | null {
    const alike = [...this.#unused]
      .filter(({ method, path }) => method === asked.method && path === asked.path)
      .map((exchange) => ({
        exchange,
        difference: requestDifference(exchange.request, asked.request),
      }))
    return (
      alike.find(({ difference }) => difference === null) ??
      alike.find(({ difference }) => difference?.isResult === true) ??
      alike[0] ??
      null
    )
  }

  #end(why: string): never {
    this.#differs ??= why
    throw new Error(why)
  }
}

const words = (number: number, { path, recorded, now }: Difference): string =>
  `request ${number} differs from the recorded one at ${path}: recorded ${recorded}, now ${now}`

function message({
  status,
  type,
  reply,
  isBroken,
}: Pick<Exchange, 'type' | 'reply' | 'isBroken'> & { readonly status: number }): IncomingMessage {
  const body = Readable.from(parts(reply, isBroken === true))
  return Object.assign(body, {
    statusCode: status,
    headers: type === '' ? {} : { 'content-type': type },
  }) as unknown as IncomingMessage
}

function* parts(reply: string, isBroken: boolean): Generator<Buffer> {
  if (reply !== '') yield Buffer.from(reply)
  if (isBroken) throw new Error('the connection broke here when it was recorded')
}
