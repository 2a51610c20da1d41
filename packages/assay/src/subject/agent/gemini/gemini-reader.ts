/**
 * Reads the events of Gemini CLI. Important properties of the stream:
 *
 * - Text comes in pieces. All calls of one answer come before the first of their results, so the reader can tell where
 *   a new request begins. The usage of each request is not in the stream, but in the notes (gemini.ts).
 * - The stream does not contain the model's thoughts, and does not say whether a command failed.
 * - The `result` event contains sums by model. `input` excludes tokens read from the cache, and `input_tokens` includes
 *   them. `output_tokens` counts only the answer. The tokens of thoughts are the total minus input and output. Tokens
 *   that the provider's tools add to the prompt are only in the total. The notes list them separately.
 * - If the provider fails, Gemini CLI retries for minutes. Only stderr shows these retries.
 * - A tool of an MCP server is called `mcp_SERVER_TOOL`.
 */
import type { Json, Usage } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type {
  AgentSettings,
  LostEnd,
  StreamEnd,
  StreamReader,
  TrajectorySink,
} from '../agent-kind.ts'
import { textAt, tokensAt, type TokensAt } from '../trajectory/fields.ts'
import { lossOf } from '../trajectory/provider-loss.ts'

interface Call {
  readonly name: string
  readonly args: unknown
}

const MOST_PARTIAL = 8 * 1024 * 1024

export function geminiReader(sink: TrajectorySink, settings: AgentSettings): StreamReader {
  const tokensIn = tokensAt(sink)
  let model = settings.model
  /** Parts of the current answer's text. */
  let words: string[] = []
  let wordsLength = 0
  /**
   * The number of answered requests in this start of the program. `isAnswering` says whether an answer is in progress.
   */
  let requests = 0
  let isAnswering = false
  let calls = new Map<string, Call>()
  /** The last error message. It is used if the `result` event does not explain why the agent ended. */
  let lastError = ''
  /**
   * The requests that were read from the notes, by the id of their answer. They are kept over all starts of the
   * program, because each reading of the notes repeats the earlier answers.
   */
  const noted = new Map<string, { readonly start: number; readonly number: number }>()
  let start = 0
  let notes = 0
  let totals = new Map<string, Usage>()
  let toolTokens = new Map<string, number>()

  const say = (text: string): void => {
    if (text === '' || wordsLength > MOST_PARTIAL) return
    sink.begun()
    words.push(text)
    wordsLength += text.length
  }
  const flush = (): void => {
    if (words.length > 0) sink.message('assistant', words.join(''))
    words = []
    wordsLength = 0
  }
  const answered = (): void => {
    flush()
    if (!isAnswering) return
    isAnswering = false
    requests++
    sink.request(`request-${requests}`, { model, usage: null })
  }

  function event(given: unknown, raw: string): void {
    const type = textAt(given, 'type')
    if (type === 'message') message(given)
    else if (type === 'tool_use') toolUse(given)
    else if (type === 'tool_result') toolResult(given)
    else if (type === 'result') result(given)
    else if (type === 'init') init(given)
    else if (type === 'error') {
      flush()
      lastError = textAt(given, 'message')
      sink.error(lastError)
    } else {
      flush()
      sink.other(type, raw)
    }
  }

  function init(given: unknown): void {
    const [session, name] = [textAt(given, 'session_id'), textAt(given, 'model')]
    if (session !== '') sink.session(session)
    if (name === '') return
    model = name
    sink.model(name)
  }

  function message(given: unknown): void {
    // The user's message is skipped, because Assay itself sent it.
    if (textAt(given, 'role') === 'user') return
    isAnswering = true
    say(textAt(given, 'content'))
  }

  function toolUse(given: unknown): void {
    flush()
    isAnswering = true
    const id = textAt(given, 'tool_id')
    const args = child(given, 'parameters')
    const name = nameOf(textAt(given, 'tool_name'), settings)
    calls.set(id, { name, args })
    // The cast is safe, because the value was parsed from JSON.
    sink.toolCall({ id, name, args: (args ?? null) as Json })
  }

  function toolResult(given: unknown): void {
    answered()
    const id = textAt(given, 'tool_id')
    const failed = textAt(given, 'status') === 'error'
    const error = textAt(child(given, 'error'), 'message')
    sink.toolResult(id, { text: (failed ? error : '') || textAt(given, 'output'), failed })
    const call = calls.get(id)
    calls.delete(id)
    if (call === undefined || failed) return
    for (const name of geminiSkills(call.name, call.args)) sink.skill(name)
    // The stream does not say whether the file existed before, so the change is never reported as `added`.
    if (WRITING.has(call.name)) sink.fileChange(textAt(call.args, 'file_path'), 'changed')
  }

  function result(given: unknown): void {
    answered()
    const models = child(child(given, 'stats'), 'models')
    if (isRecord(models)) {
      totals = new Map(
        Object.entries(models).map(([name, used]) => [name, totalOf(used, tokensIn)]),
      )
      tellTotals()
    }
    const error = child(given, 'error')
    const why = textAt(error, 'message')
    if (why !== '') sink.error(why)
    sink.end(endOf(textAt(given, 'status'), textAt(error, 'type'), why || lastError))
  }

  function tellTotals(): void {
    const apart = [...totals].map(([name, usage]) => [
      name,
      withTools(usage, toolTokens.get(name) ?? 0),
    ])
    sink.totals(Object.fromEntries(apart) as Record<string, Usage>, null)
  }

  function note(given: unknown): void {
    const id = textAt(given, 'id')
    const tokens = child(given, 'tokens')
    if (id === '' || !isRecord(tokens)) return
    let known = noted.get(id)
    const isNew = known === undefined
    if (known === undefined) {
      notes++
      known = { start, number: notes }
      noted.set(id, known)
    }
    if (known.start !== start) return
    const name = textAt(given, 'model') || model
    sink.request(`request-${known.number}`, { model: name, usage: notedUsage(tokens, tokensIn) })
    const tool = tokensIn(tokens, 'tool')
    if (!isNew || tool === 0 || name === null) return
    toolTokens.set(name, (toolTokens.get(name) ?? 0) + tool)
    if (totals.size > 0) tellTotals()
  }

  return {
    line(text) {
      if (text.trim() === '') return
      const given = parseJson(text)
      if (isRecord(given)) event(given, text)
      else {
        flush()
        sink.other('text', text)
      }
    },
    note(text) {
      note(parseJson(text))
    },
    lost(stderr) {
      const said = stderr.slice(-MOST_STDERR).split('\n')
      const noKey = said.find((line) => NO_KEY.test(line))
      if (noKey !== undefined) return lostBy(noKey.slice(0, MOST_SAID))
      // If a tool is running or an answer is in progress, the agent is not waiting for its provider.
      if (calls.size > 0 || isAnswering) return null
      const again = said.findLast((line) => RETRYING.test(line))
      return again === undefined ? null : lostBy(again.slice(0, MOST_SAID))
    },
    turnEnded() {
      answered()
      requests = 0
      calls = new Map()
      lastError = ''
      start++
      notes = 0
      totals = new Map()
      toolTokens = new Map()
    },
  }
}

/** Returns the skill that a call uses. Only calls of the tool that loads skills use one. */
export const geminiSkills = (name: string, args: unknown): string[] =>
  name === 'activate_skill' ? [textAt(args, 'name')] : []

const WRITING = new Set(['replace', 'write_file'])

/**
 * Returns the name of a tool as SERVER.TOOL, as for other agents. The name of a server may contain `_`, so the longest
 * server name that matches is used.
 */
export function nameOf(name: string, { mcpServers }: AgentSettings): string {
  const server = Object.keys(mcpServers)
    .filter((one) => name.startsWith(`mcp_${one}_`))
    .toSorted((a, b) => b.length - a.length)[0]
  return server === undefined ? name : `${server}.${name.slice(`mcp_${server}_`.length)}`
}

// ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────

function totalOf(used: unknown, tokensIn: TokensAt): Usage {
  const prompt = tokensIn(used, 'input_tokens')
  const cacheRead = tokensIn(used, 'cached')
  const spoken = tokensIn(used, 'output_tokens')
  const output = Math.max(spoken, tokensIn(used, 'total_tokens') - prompt)
  return {
    input: Math.max(0, prompt - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output,
    reasoning: output - spoken,
  }
}

/**
 * Moves the tokens that tools added to the prompt from output and reasoning to input. The totals in the stream do not
 * list them separately, so they were first counted as reasoning.
 */
const withTools = (usage: Usage, tool: number): Usage => {
  const moved = Math.min(tool, usage.reasoning)
  return {
    ...usage,
    input: usage.input + moved,
    output: usage.output - moved,
    reasoning: usage.reasoning - moved,
  }
}

function notedUsage(tokens: unknown, tokensIn: TokensAt): Usage {
  const cacheRead = tokensIn(tokens, 'cached')
  const reasoning = tokensIn(tokens, 'thoughts')
  return {
    input: Math.max(0, tokensIn(tokens, 'input') - cacheRead) + tokensIn(tokens, 'tool'),
    cacheRead,
    cacheWrite: 0,
    output: tokensIn(tokens, 'output') + reasoning,
    reasoning,
  }
}

// ── Ends ─────────────────────────────────────────────────────────────────────────────────────────────

/** The most characters of an error message that are searched for known phrases and reported. */
const MOST_SAID = 2000
const MOST_STDERR = 16 * 1024
const RETRYING = /^Attempt \d+ failed/u
const NO_KEY = /must specify the (?:GEMINI|GOOGLE)_API_KEY|set an auth method/iu

function endOf(status: string, type: string, message: string): StreamEnd {
  const why = message.slice(0, MOST_SAID)
  if (/^loop detected|^maximum session turns/iu.test(why) || type === 'FatalTurnLimitedError')
    return { how: 'limit', why }
  if (status !== 'error') return { how: 'done' }
  if (/blocked due to/iu.test(why)) return { how: 'refused', why }
  if (type === 'FatalAuthenticationError') return lostBy(why)
  // The conversation became too long for the model. This is the agent's fault, not the provider's.
  if (!why.startsWith('[API Error: ') || /token count .*exceeds|context window/iu.test(why))
    return { how: 'failed', why }
  return lostBy(why)
}

function lostBy(why: string): LostEnd {
  const status = Number(/"code":\s*(\d{3})|status:? (\d{3})/u.exec(why)?.slice(1).join('') ?? 0)
  const isKey = status === 401 || /api[ _]key|authenticat/iu.test(why)
  if (isKey)
    return {
      how: 'lost',
      why: `${why} (the agent sees no login of yours: set GEMINI_API_KEY)`,
      reason: 'request-refused',
    }
  if (/quota|RESOURCE_EXHAUSTED/iu.test(why)) return { how: 'lost', why, reason: 'rate-limited' }
  if (status > 0) return { how: 'lost', why, reason: lossOf(status) }
  if (/timed? ?out/iu.test(why)) return { how: 'lost', why, reason: 'provider-timeout' }
  return {
    how: 'lost',
    why,
    reason: /not found|not supported/iu.test(why) ? 'request-refused' : 'provider-error',
  }
}
