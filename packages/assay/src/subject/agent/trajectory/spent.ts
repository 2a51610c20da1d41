/**
 * Sums up an agent's usage and cost from its stream. Each start of the program reports its requests as they are
 * answered, and some agents also report totals at the end. If there are totals, they count, because the stream may lack
 * some requests (retries, summaries, a second model). The cost is the one that the agent reports. If it reports none,
 * the cost is computed from the tokens. Each request is priced separately, because prices depend on the length of the
 * prompt. Tokens that are in the totals but in no request are priced as one request. If a part of the cost is unknown,
 * the whole cost is unknown. The known part is stored separately, because it was spent.
 */
import type { Usage } from '@assay/contract'
import { boundedUsage, soundUsd } from '../../amounts.ts'

export type PriceOf = (model: string, usage: Usage) => number | null

export type UsageByModel = Readonly<Record<string, Usage>>

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

interface Request {
  readonly model: string
  readonly usage: Usage | null
  readonly usd: number | null
  /** Whether the agent reported the cost. If not, it was computed from the tokens. */
  readonly isReported: boolean
}

interface Totals {
  readonly usage: ReadonlyMap<string, Usage>
  readonly usd: number | null
  /** The part of the cost that is known. It matters if the whole cost is unknown. */
  readonly knownUsd: number
}

/** The requests and totals of one start of the program. */
interface Start {
  readonly requests: Map<string, Request>
  totals: Totals | null
  /** Whether some output could not be read. There may then have been more requests than those that were read. */
  isLossy: boolean
}

export interface Cost {
  readonly usd: number | null
  readonly from: 'reported' | 'priced' | null
}

export class Spent {
  readonly #price: PriceOf
  readonly #starts: Start[] = []
  /**
   * The sums over the requests of all starts. They are updated at each request, because limits are checked after every
   * line, and adding up all requests each time would be slow.
   */
  #requests = 0
  #tokens = 0
  #usd = 0

  constructor(price: PriceOf) {
    this.#price = price
  }

  begin(): void {
    this.#settle()
    this.#starts.push({ requests: new Map(), totals: null, isLossy: false })
  }

  /**
   * Adds a request. A second report with the same id replaces the first. Returns the request's usage and cost, in which
   * impossible amounts are corrected.
   */
  request(
    id: string,
    model: string,
    usage: Usage | null,
    reportedUsd: number | null,
  ): Pick<Request, 'usage' | 'usd'> {
    const start = this.#current()
    const before = start.requests.get(id)
    const used = usage === null ? (before?.usage ?? null) : boundedUsage(usage)
    const reported = soundUsd(reportedUsd) ?? (before?.isReported === true ? before.usd : null)
    const usd = reported ?? (used === null ? null : this.#price(model, used))
    if (before === undefined) this.#requests++
    this.#tokens += tokensOf(used) - tokensOf(before?.usage ?? null)
    this.#usd += (usd ?? 0) - (before?.usd ?? 0)
    start.requests.set(id, { model, usage: used, usd, isReported: reported !== null })
    return { usage: used, usd }
  }

  totals(usage: UsageByModel, usd: number | null, knownUsd: number): void {
    const entries = Object.entries(usage).map(([model, one]) => [model, boundedUsage(one)] as const)
    const all = soundUsd(usd)
    const known = all ?? soundUsd(knownUsd) ?? 0
    this.#current().totals = { usage: new Map(entries), usd: all, knownUsd: known }
  }

  /** Records that some output could not be read. The cost is then unknown, unless the agent reports totals. */
  lose(): void {
    this.#current().isLossy = true
  }

  get requests(): number {
    return this.#requests
  }

  /** The number of tokens so far, in all classes. */
  get tokens(): number {
    const totals = this.#starts.at(-1)?.totals
    if (totals === undefined || totals === null) return this.#tokens
    const told = tokensIn(totals.usage.values())
    return this.#settled.tokens + Math.max(told, this.#tokens - this.#settled.tokens)
  }

  /** The known part of the cost so far. It is used only for limits, never for records. */
  get usd(): number {
    const told = this.#starts.at(-1)?.totals?.knownUsd ?? 0
    return this.#settled.usd + Math.max(told, this.#usd - this.#settled.usd)
  }

  byModel(): UsageByModel {
    const sums = new Map<string, Usage>()
    for (const start of this.#starts)
      for (const [model, usage] of usedIn(start)) sums.set(model, plus(sums.get(model), usage))
    return Object.fromEntries(sums)
  }

  /** The usage of all starts together. Null if no start reported any. */
  whole(): Usage | null {
    const told = this.#starts.some(
      ({ requests, totals }) =>
        totals !== null || [...requests.values()].some(({ usage }) => usage !== null),
    )
    return told ? Object.values(this.byModel()).reduce(plus, NO_USAGE) : null
  }

  cost(): Cost {
    const costs = this.#starts
      .filter(({ requests, totals }) => totals !== null || requests.size > 0)
      .map((start) => this.#costOf(start))
    if (costs.length === 0 || costs.some(({ usd }) => usd === null))
      return { usd: null, from: null }
    const usd = costs.reduce((sum, one) => sum + (one.usd ?? 0), 0)
    return { usd, from: costs.every(({ from }) => from === 'reported') ? 'reported' : 'priced' }
  }

  /** Returns the lowest possible cost. This is the whole cost if it is known, otherwise the known part. */
  atLeastUsd(): number {
    return this.#starts.reduce((sum, start) => {
      const { requests, totals } = start
      const byRequest = [...requests.values()].reduce((all, { usd }) => all + (usd ?? 0), 0)
      return sum + (this.#costOf(start).usd ?? Math.max(totals?.knownUsd ?? 0, byRequest))
    }, 0)
  }

  #costOf({ requests, totals, isLossy }: Start): Cost {
    if (totals !== null && totals.usd !== null) return { usd: totals.usd, from: 'reported' }
    if (isLossy && totals === null) return { usd: null, from: null }
    const told = [...requests.values()]
    const byRequest = sumOf(told.map(({ usd }) => usd))
    if (totals === null) {
      const isReported = told.every((one) => one.isReported)
      return { usd: byRequest, from: isReported ? 'reported' : 'priced' }
    }
    const rest = beyond(totals.usage, told)
    // If the totals are smaller than the sum of the requests, one of them must be wrong. In this case, only the totals
    // are priced.
    const usd =
      rest === null || byRequest === null
        ? sumOf([...totals.usage].map(([model, usage]) => this.#priced(model, usage)))
        : sumOf([byRequest, ...[...rest].map(([model, usage]) => this.#priced(model, usage))])
    // The agent reports the cost of a part of its work, and that part was paid. So the result is never lower than it,
    // even if the tokens would cost less.
    return { usd: usd === null ? null : Math.max(usd, totals.knownUsd), from: 'priced' }
  }

  #priced(model: string, usage: Usage): number | null {
    return tokensOf(usage) === 0 ? 0 : this.#price(model, usage)
  }

  /** The tokens and the cost of all earlier starts of the program. */
  #settled = { tokens: 0, usd: 0 }

  #settle(): void {
    const settled = { tokens: this.tokens, usd: this.usd }
    this.#settled = settled
    this.#tokens = settled.tokens
    this.#usd = settled.usd
  }

  #current(): Start {
    if (this.#starts.length === 0) this.begin()
    return this.#starts.at(-1) as Start
  }
}

function usedIn({ requests, totals }: Start): Iterable<readonly [string, Usage]> {
  if (totals !== null) return totals.usage
  return [...requests.values()].flatMap(({ model, usage }) =>
    usage === null ? [] : [[model, usage] as const],
  )
}

/** Returns the usage that is in the totals but not in the requests. Returns null if the totals are smaller. */
function beyond(
  totals: ReadonlyMap<string, Usage>,
  requests: readonly Request[],
): ReadonlyMap<string, Usage> | null {
  const rest = new Map(totals)
  for (const { model, usage } of requests) {
    if (usage === null) continue
    const left = minus(rest.get(model) ?? NO_USAGE, usage)
    if (Object.values(left).some((count) => count < 0)) return null
    rest.set(model, left)
  }
  return rest
}

const sumOf = (costs: readonly (number | null)[]): number | null =>
  costs.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)

/** Returns the number of tokens in all classes. Reasoning is not added, because output includes it. */
export const tokensOf = (usage: Usage | null): number =>
  usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite + usage.output

const tokensIn = (usages: Iterable<Usage>): number =>
  [...usages].reduce((sum, usage) => sum + tokensOf(usage), 0)

const joined = (a: Usage, b: Usage, by: (x: number, y: number) => number): Usage => ({
  input: by(a.input, b.input),
  cacheRead: by(a.cacheRead, b.cacheRead),
  cacheWrite: by(a.cacheWrite, b.cacheWrite),
  output: by(a.output, b.output),
  reasoning: by(a.reasoning, b.reasoning),
})

export const plus = (a: Usage | undefined, b: Usage): Usage =>
  joined(a ?? NO_USAGE, b, (x, y) => x + y)
const minus = (a: Usage, b: Usage): Usage => joined(a, b, (x, y) => x - y)
