/**
 * The only file that uses the AI SDK. It turns our messages and parameters into each provider's request, and
 * the reply into text and a reason for stopping. It is loaded when the first answer is requested. It never
 * retries and never prints: the scheduler retries, and warnings go into the answer's note.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallWarning, FinishReason, LanguageModel } from 'ai'
import type { Message, Stop } from '@assay/contract'
import type { Effort, ModelParameters } from './parameters.ts'
import type { Provider } from './providers.ts'
import type { Api } from './wire.ts'

export interface Question {
  readonly messages: readonly Message[]
  /** The parameters for this trial, with its own seed and limit. */
  readonly parameters: ModelParameters
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

export interface Written {
  readonly text: string
  readonly stop: Stop
  /** A note for people about this answer; empty if there is none. */
  readonly note: string
}

/** Gets answers from one model. */
export type Writer = (question: Question) => Promise<Written>

/** The `fetch` of the current question. */
const fetchOf = new AsyncLocalStorage<typeof globalThis.fetch>()

/**
 * Returns a writer that creates the SDK's model only once. Each model has about a hundred schemas, which used
 * most of the memory with thousands of concurrent requests. So the shared model looks up the `fetch` of the
 * current question.
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
  return MODELS[provider.api](settings, model, provider.name)
}

type Make = (settings: Settings, model: string, provider: string) => Promise<LanguageModel>

const MODELS: Readonly<Record<Api, Make>> = {
  chat: async (settings, model, name) => {
    // OpenAI's own reasoning models need other parameters than compatible servers do.
    if (name === 'openai') {
      return (await import('@ai-sdk/openai')).createOpenAI(settings).chat(model)
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return createOpenAICompatible({ name, ...settings }).chatModel(model)
  },
  responses: async (settings, model) =>
    (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model),
  anthropic: async (settings, model) =>
    (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model),
  google: async (settings, model) => (await import('@ai-sdk/google')).createGoogle(settings)(model),
}

function openaiOptions(api: Api, effort: Effort | undefined): Record<string, boolean | null> {
  return {
    // By default, OpenAI stores every prompt and answer, and only verified customers may get summaries.
    ...(api === 'responses' ? { store: false, reasoningSummary: null } : {}),
    // Without this, the SDK silently drops the effort for models that it does not know.
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
  // These are explained in the note.
  'tool-calls': 'end',
  error: 'end',
  interrupted: 'end',
  other: 'end',
}

/**
 * The provider's own stop reason for a refusal, which the SDK reports as a content filter. Undefined: the
 * provider gives no reason then. Null: this API never reports a refusal.
 */
const REFUSALS: Readonly<Record<Api, string | null | undefined>> = {
  chat: 'stop',
  responses: undefined,
  anthropic: 'refusal',
  google: null,
}

/**
 * The SDK reports two things as a content filter: the model's own refusal, and the filter around the model.
 * This tells them apart.
 */
function stopOf(api: Api, { finishReason, rawFinishReason }: Finish): Stop {
  const refused = finishReason === 'content-filter' && rawFinishReason === REFUSALS[api]
  return refused ? 'refusal' : STOPS[finishReason]
}

interface Noted extends Finish {
  readonly warnings: readonly CallWarning[] | undefined
}

/** Returns a note about parameters that were not applied, and about an end that `stop` does not express. */
function noteOn(api: Api, { finishReason, rawFinishReason, warnings = [] }: Noted): string {
  const notes = warnings.map((warning) =>
    warning.type === 'unsupported' || warning.type === 'compatibility'
      ? (warning.details ?? `${warning.feature} is not supported by this model`)
      : warning.message,
  )
  // Google has many reasons to filter, so the note names the reason.
  const told = ['stop', 'length', ...(api === 'google' ? [] : ['content-filter'])]
  if (!told.includes(finishReason)) notes.push(`finish reason: ${rawFinishReason ?? finishReason}`)
  return notes.join('; ')
}
