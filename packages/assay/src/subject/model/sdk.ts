/**
 * The AI SDK, in the only file that knows it: our messages and parameters into each provider's request,
 * its reply into text and a reason for stopping. Loaded when the first answer is asked for. It never
 * retries and never prints: retries are the scheduler's, warnings go into the answer's note.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallWarning, FinishReason, LanguageModel } from 'ai'
import type { Message, Stop } from '@assay/contract'
import type { Effort, ModelParameters } from './parameters.ts'
import type { Provider } from './providers.ts'
import type { Api } from './wire.ts'

export interface Question {
  readonly messages: readonly Message[]
  /** Resolved for this trial: its own seed, its own limit. */
  readonly parameters: ModelParameters
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

export interface Written {
  readonly text: string
  readonly stop: Stop
  /** What people should know about how it was written; empty if nothing. */
  readonly note: string
}

/** Writes answers of one model. */
export type Writer = (question: Question) => Promise<Written>

/** The `fetch` of the question that is being answered. */
const fetchOf = new AsyncLocalStorage<typeof globalThis.fetch>()

/**
 * The SDK's model is made once: each one has a hundred schemas of its own, which for thousands of requests at once
 * were most of the memory. So its `fetch` is whichever the question in hand has.
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
    // OpenAI's own reasoning models want other parameters than everybody else's.
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
    // Otherwise OpenAI keeps every prompt and answer, and only verified customers may have summaries.
    ...(api === 'responses' ? { store: false, reasoningSummary: null } : {}),
    // For models it does not know, the SDK would drop the effort without a word.
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
  // Told in the note.
  'tool-calls': 'end',
  error: 'end',
  interrupted: 'end',
  other: 'end',
}

/** What the provider itself calls an end where the SDK says that a filter was at work; null: it never does. */
const REFUSALS: Readonly<Record<Api, string | null | undefined>> = {
  chat: 'stop',
  responses: undefined,
  anthropic: 'refusal',
  google: null,
}

/** The SDK calls two things a filter: the model's own refusal, and the filter around the model. */
function stopOf(api: Api, { finishReason, rawFinishReason }: Finish): Stop {
  const refused = finishReason === 'content-filter' && rawFinishReason === REFUSALS[api]
  return refused ? 'refusal' : STOPS[finishReason]
}

interface Noted extends Finish {
  readonly warnings: readonly CallWarning[] | undefined
}

/** What was asked for and not done, and an end that `stop` does not tell. */
function noteOn(api: Api, { finishReason, rawFinishReason, warnings = [] }: Noted): string {
  const notes = warnings.map((warning) =>
    warning.type === 'unsupported' || warning.type === 'compatibility'
      ? (warning.details ?? `${warning.feature} is not supported by this model`)
      : warning.message,
  )
  // Google has many reasons to filter.
  const told = ['stop', 'length', ...(api === 'google' ? [] : ['content-filter'])]
  if (!told.includes(finishReason)) notes.push(`finish reason: ${rawFinishReason ?? finishReason}`)
  return notes.join('; ')
}
