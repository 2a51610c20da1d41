/**
 * A model as a subject. It is asked through its provider's API, one answer at a time, with a time limit that Assay
 * sets. Every failure becomes a `SubjectError` with a reason code. The scheduler then decides whether to try again.
 */
import {
  SubjectError,
  type Answer,
  type Ask,
  type Case,
  type Json,
  type Subject,
  type Traces,
  type Usage,
  UsageError,
} from '@assay/contract'
import { Connection } from './connection.ts'
import { estimateUsage } from './estimate.ts'
import { Exchange, Filtered } from './exchange.ts'
import { timedOut, unreadable, unsendable, type Asked } from './failure.ts'
import { checkParameters, type ModelParameters } from './parameters.ts'
import type { PricedModel, Prices } from './prices.ts'
import {
  checkedUrl,
  clearTextFault,
  findProvider,
  splitModel,
  type Concurrency,
  type Provider,
  type ProviderSources,
} from './providers.ts'
import { redactReply } from './redact-reply.ts'
import { modelWriter, type Writer } from './sdk.ts'
import { NO_TRACES } from '../traces.ts'

export interface ModelOptions extends ProviderSources {
  /** The model, in the form provider/model. */
  readonly model: string
  readonly prices: Prices
  /** The subject's id in records. Default: `model`. */
  readonly id?: string
  readonly parameters?: ModelParameters
  /** Which of OpenAI's two APIs is used. Default: "responses" for openai, "chat" for compatible servers. */
  readonly api?: 'chat' | 'responses'
  /** The URL of the provider's API. It overrides assay.toml and the environment. */
  readonly baseUrl?: string
  readonly concurrency?: Concurrency
  /** If true, the subject is only inspected and never asked. A missing key is then not an error. */
  readonly lookOnly?: boolean
  /**
   * Returns the current time in milliseconds since 1970. It is used for dates in headers and for prices that
   * depend on the time.
   */
  readonly now?: () => number
}

/** The longest delay that `setTimeout` accepts. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The number of possible seeds. Providers store seeds as signed 32-bit numbers. */
const SEEDS = 2 ** 31

/**
 * Creates the subject. Throws a `UsageError` for a mistake such as a missing key, so that it is found before any
 * request costs money.
 */
export function modelSubject(options: ModelOptions): Subject {
  const { provider: name, model } = splitModel(options.model)
  const provider = withOptions(findProvider(name, options), options)
  if (provider.addressMissing !== null && options.lookOnly !== true)
    throw new UsageError(
      `${options.model} needs the address of your resource: set ${provider.addressMissing}, or baseUrl under ` +
        `[providers.${name}] in assay.toml`,
    )
  if (provider.keyMissing && options.lookOnly !== true) {
    throw new UsageError(
      `${options.model} needs a key: set ${provider.keyFrom ?? 'it'}, or apiKey under ` +
        `[providers.${name}] in assay.toml`,
    )
  }
  const fault = clearTextFault(provider)
  if (fault !== null) throw new UsageError(`${options.model}: ${fault}`)
  return new ModelSubject(options, provider, model)
}

function withOptions(provider: Provider, { api, baseUrl }: ModelOptions): Provider {
  if (api !== undefined && provider.api !== 'chat' && provider.api !== 'responses') {
    throw new UsageError(`${provider.name} has one API: api = "${api}" is only for OpenAI's`)
  }
  const chosen = { ...provider, api: api ?? provider.api }
  if (baseUrl === undefined) return chosen
  return {
    ...chosen,
    baseUrl: checkedUrl(baseUrl, 'baseUrl', chosen.api),
    moved: true,
    addressMissing: null,
  }
}

class ModelSubject implements Subject {
  readonly kind = 'model'
  readonly source = 'live'
  readonly id: string
  readonly pool: string
  readonly concurrency: Concurrency
  readonly config: Json
  readonly secrets: readonly string[]
  readonly traces = (): Traces => NO_TRACES
  readonly #provider: Provider
  readonly #write: Writer
  readonly #parameters: ModelParameters
  readonly #prices: Prices
  readonly #priced: PricedModel
  readonly #asked: Asked
  readonly #now: () => number
  readonly #connection: Connection

  constructor(options: ModelOptions, provider: Provider, model: string) {
    const { name, baseUrl, key, moved } = provider
    const parameters = options.parameters ?? {}
    this.id = options.id ?? options.model
    this.pool = moved ? `${name} ${baseUrl}` : name
    this.concurrency = options.concurrency ?? provider.concurrency
    this.config = {
      provider: name,
      model,
      api: provider.api,
      ...(moved ? { baseUrl } : {}),
      parameters: checkParameters(parameters, options.model),
    }
    this.secrets = key === null ? [] : [key]
    this.#provider = provider
    this.#write = modelWriter(provider, model)
    this.#parameters = parameters
    this.#prices = options.prices
    this.#priced = { provider: name, model, catalogue: provider.catalogue, baseUrl }
    this.#asked = {
      model: options.model,
      baseUrl,
      keyFrom: provider.keyFrom,
      local: provider.local,
      mayBeChatOnly: provider.api === 'responses' && moved,
      secrets: this.secrets,
    }
    this.#now = options.now ?? Date.now
    this.#connection = new Connection(options.env)
  }

  estimateUsd(asked: Case): number | null {
    return this.#cost(estimateUsage(asked, this.#parameters, this.#provider.api))
  }

  async answer(ask: Ask): Promise<Answer> {
    ask.signal.throwIfAborted()
    const stop = new AbortController()
    const abort = (): void => stop.abort(ask.signal.reason)
    const timer = setTimeout(() => stop.abort(), Math.min(ask.timeoutMs, LONGEST_TIMER_MS))
    ask.signal.addEventListener('abort', abort, { once: true })
    const exchange = new Exchange({
      connection: this.#connection,
      asked: this.#asked,
      api: this.#provider.api,
      cost: (usage) => this.#cost(usage),
      reportsCost: this.#provider.reportsCost,
      now: this.#now,
    })
    try {
      const {
        text,
        stop: why,
        note,
      } = await this.#write({
        messages: ask.messages,
        parameters: this.#parametersFor(ask),
        fetch: exchange.fetch,
        signal: stop.signal,
      })
      return this.#answer(exchange, text, why, note)
    } catch (error) {
      if (ask.signal.aborted) throw ask.signal.reason
      if (stop.signal.aborted) throw timedOut(this.#asked, ask.timeoutMs)
      if (error instanceof Filtered) return this.#answer(exchange, '', 'filter', error.message)
      if (error instanceof SubjectError) throw error
      // If a connection breaks, the SDK throws its own error, whose `cause` is the `SubjectError` from Assay's code.
      if (error instanceof Error && error.cause instanceof SubjectError) throw error.cause
      const said = error instanceof Error ? error.message : String(error)
      const { spend } = exchange
      throw spend.status === null
        ? unsendable(this.#asked, said)
        : unreadable(this.#asked, `${said}: ${exchange.text}`, spend)
    } finally {
      clearTimeout(timer)
      ask.signal.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  #parametersFor({ index, maxTokens }: Ask): ModelParameters {
    const { seed } = this.#parameters
    return {
      ...this.#parameters,
      maxTokens: this.#parameters.maxTokens ?? maxTokens ?? undefined,
      ...(seed === undefined ? {} : { seed: (seed + index) % SEEDS }),
    }
  }

  #answer(exchange: Exchange, text: string, stop: Answer['stop'], note: string): Answer {
    const { spend, remarks } = exchange
    const { usage, usd } = spend
    const said = redactReply(note, this.secrets)
    return {
      text,
      stop,
      ...(said === '' ? {} : { note: said }),
      usage,
      usd,
      ...(remarks.length === 0 ? {} : { remarks }),
    }
  }

  #cost(usage: Usage): number | null {
    return this.#prices.cost(this.#priced, usage, new Date(this.#now()))
  }
}
