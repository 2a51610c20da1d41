/**
 * The only file that uses the AI SDK. It converts messages and parameters into a provider's request, and the reply into
 * a text and a stop reason. It is loaded when the first answer is requested. It never retries, because the scheduler
 * does that. It never prints. Warnings become part of the answer's note.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallWarning, FinishReason, LanguageModel } from 'ai'
import type { Message, Stop } from '@assay/contract'
import type { Effort, ModelParameters } from './parameters.ts'
import type { Provider } from './providers.ts'
import type { Api } from './wire.ts'

export interface Question {
  readonly messages: readonly Message[]
  /** The parameters for this trial, with the trial's own seed and token limit. */
  readonly parameters: ModelParameters
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

export interface Written {
  readonly text: string
  readonly stop: Stop
  /** A note on this answer for users. Empty if there is none. */
  readonly note: string
}

/** A function that gets answers from one model. */
export type Writer = (question: Question) => Promise<Written>

/** The `fetch` function of the current question. */
const fetchOf = new AsyncLocalStorage<typeof globalThis.fetch>()

/**
 * Returns a writer that creates the SDK's model object only once. Each such object contains about a hundred schemas.
 * With thousands of concurrent requests, these used most of the memory. So all requests share one object. But each
 * request has its own `fetch` function, which the object's `fetch` looks up.
 */
export function modelWriter(provider: Provider, model: string): Writer {
  let made: Promise<LanguageModel> | null = null
  return (question) => {
    made ??= languageModel(provider, model)
    const using = made
    return fetchOf.run(question.fetch, async () => writeAnswer(provider, await using, question))
  }
}

async function writeAnswer(
  provider: Provider,
  model: LanguageModel,
  { messages, parameters, signal }: Question,
): Promise<Written> {
  const { temperature, maxTokens, topP, seed, system, effort } = parameters
  const { generateText } = await import('ai')
  globalThis.AI_SDK_LOG_WARNINGS = false
  const result = await generateText({
    model,
    maxRetries: 0,
    abortSignal: signal,
    allowSystemInMessages: true,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages,
    ],
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(effort === undefined ? {} : { reasoning: effort }),
    providerOptions: { openai: openaiOptions(provider.api, effort) },
  })
  return {
    text: result.text,
    stop: stopOf(provider.api, result),
    note: noteOn(provider.api, result),
  }
}

interface Settings {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
}

function languageModel(provider: Provider, model: string): Promise<LanguageModel> {
  const fetch: Settings['fetch'] = (input, init) => {
    const current = fetchOf.getStore()
    if (current === undefined) throw new Error('a request that no question asked for')
    return current(input, init)
  }
  const settings = { baseURL: provider.baseUrl, apiKey: provider.key ?? '', fetch }
  return MODELS[provider.api](settings, model, provider)
}

type Make = (settings: Settings, model: string, provider: Provider) => Promise<LanguageModel>

const MODELS: Readonly<Record<Api, Make>> = {
  chat: async (settings, model, provider) => {
    // OpenAI's reasoning models need other parameters than the models of compatible servers. So OpenAI has its own SDK
    // package.
    if (provider.isOpenAI) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ ...settings, ...keyHeader(provider) }).chat(model)
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return createOpenAICompatible({
      name: provider.name,
      ...settings,
      ...(provider.reportsCost
        ? { transformRequestBody: (body) => ({ ...body, usage: { include: true } }) }
        : {}),
    }).chatModel(model)
  },
  responses: async (settings, model, provider) =>
    (await import('@ai-sdk/openai'))
      .createOpenAI({ ...settings, ...keyHeader(provider) })
      .responses(model),
  anthropic: async (settings, model) =>
    (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model),
  google: async (settings, model) => (await import('@ai-sdk/google')).createGoogle(settings)(model),
}

const keyHeader = ({ sendsApiKey, key }: Provider): { headers?: Record<string, string> } =>
  sendsApiKey && key !== null ? { headers: { 'api-key': key } } : {}

function openaiOptions(api: Api, effort: Effort | undefined): Record<string, boolean | null> {
  return {
    // `store` is false, because OpenAI would otherwise store every prompt and answer. Reasoning summaries are turned
    // off, because only verified customers may get them.
    ...(api === 'responses' ? { store: false, reasoningSummary: null } : {}),
    // Without this option, the SDK silently ignores the reasoning effort for models that it does not know.
    ...(effort === undefined || effort === 'none' ? {} : { forceReasoning: true }),
  }
}

interface Finish {
  readonly finishReason: FinishReason
  readonly rawFinishReason: string | undefined
}

const STOPS: Readonly<Record<FinishReason, Stop>> = {
  stop: 'end',
  length: 'length',
  'content-filter': 'filter',
  // `Stop` has no values for the following reasons, so the answer's note names them.
  'tool-calls': 'end',
  error: 'end',
  interrupted: 'end',
  other: 'end',
}

/**
 * For each API, the provider's raw stop reason if the model itself refuses. The SDK reports such a refusal and a
 * content filter of the provider in the same way. Undefined means that the provider gives no raw reason for a refusal.
 * Null means that this API never reports a refusal.
 */
const REFUSALS: Readonly<Record<Api, string | null | undefined>> = {
  chat: 'stop',
  responses: undefined,
  anthropic: 'refusal',
  google: null,
}

/**
 * Returns why the answer stopped. The SDK reports a model's refusal and a provider's content filter in the same way.
 * The provider's raw reason tells them apart.
 */
function stopOf(api: Api, { finishReason, rawFinishReason }: Finish): Stop {
  const refused = finishReason === 'content-filter' && rawFinishReason === REFUSALS[api]
  return refused ? 'refusal' : STOPS[finishReason]
}

interface Noted extends Finish {
  readonly warnings: readonly CallWarning[] | undefined
}

/** Returns a note about parameters that were not applied, and about a finish reason for which `stop` has no value. */
function noteOn(api: Api, { finishReason, rawFinishReason, warnings = [] }: Noted): string {
  const notes = warnings.map((warning) =>
    warning.type === 'unsupported' || warning.type === 'compatibility'
      ? (warning.details ?? `${warning.feature} is not supported by this model`)
      : warning.message,
  )
  // For Google, the note also names the reason of a content filter, because Google has many such reasons.
  const told = ['stop', 'length', ...(api === 'google' ? [] : ['content-filter'])]
  if (!told.includes(finishReason)) notes.push(`finish reason: ${rawFinishReason ?? finishReason}`)
  return notes.join('; ')
}
