/**
 * Assay's side of the Agent Client Protocol: JSON-RPC messages, one per line, on the agent's stdin and stdout. One
 * process of the agent serves all turns of a trial. The agent is not trusted. It may fail to answer, send nonsense,
 * answer questions that nobody asked, send requests without end, or stop reading. None of this makes Assay throw an
 * error or wait forever.
 *
 * Assay grants every permission with `allow_once`, because no user is there to ask. It does not use `allow_always`,
 * because that makes some agents write settings into the workspace. Assay does not offer its own files and terminals to
 * the agent, because the agent has those of the sandbox.
 */
import type { ProgramInput } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type { AgentSettings, TrajectorySink } from '../agent-kind.ts'
import { listAt, textAt } from '../trajectory/fields.ts'
import { errorText } from './acp-reader.ts'
import { modelChoice } from './acp-model.ts'

export type AcpEnd =
  /** The agent replied to every prompt, or stopped at one and gave a reason. */
  | { readonly how: 'done' }
  /** There is no session, so the agent could not be asked anything. */
  | { readonly how: 'not-started'; readonly why: string }
  | { readonly how: 'failed'; readonly why: string }

export interface AcpOptions {
  readonly settings: AgentSettings
  /** The workspace's folder as the agent sees it. */
  readonly folder: string
  readonly prompts: readonly string[]
  readonly sink: Pick<TrajectorySink, 'session' | 'model' | 'version' | 'end' | 'odd'>
  /** Called before each prompt is sent. */
  readonly beginTurn: (turn: number) => void
  /** Called when the agent has nothing left to do and may be stopped. */
  readonly finish: () => void
  /** How long the agent may take to get ready for its first prompt. */
  readonly readyMs?: number
  /** How long the agent may take to end after its last reply, or after Assay asked it to cancel. */
  readonly graceMs?: number
}

type Reply = { readonly result: unknown } | { readonly error: unknown }

const VERSION = 1
const READY_MS = 120_000
const GRACE_MS = 1000
/** The most characters that may wait until the agent reads them. */
const MOST_PENDING = 32 * 1024 * 1024
const NO_SUCH_METHOD = -32_601
const NEEDS_LOGIN = -32_000

/**
 * Thrown inside this file to end the conversation: the agent cannot be asked, or did not do what it was asked to do.
 */
class Refused extends Error {
  /** Whether the agent needs a login or a key. */
  readonly isLogin: boolean

  constructor(message: string, isLogin = false) {
    super(message)
    this.isLogin = isLogin
  }
}

export class AcpClient {
  readonly #options: AcpOptions
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #input: ProgramInput | null = null
  #session: string | null = null
  #calls = 0
  #isCancelled = false
  #end: AcpEnd | null = null
  #timers: NodeJS.Timeout[] = []

  constructor(options: AcpOptions) {
    this.#options = options
  }

  /** How the conversation ended. Null if it has not ended. */
  get end(): AcpEnd | null {
    return this.#end
  }

  /** Whether the agent has got its first prompt. */
  get isReady(): boolean {
    return this.#session !== null
  }

  /** Called once, when the agent's program has started. */
  begin(input: ProgramInput): void {
    this.#input = input
    const { readyMs = READY_MS } = this.#options
    this.#after(readyMs, () => {
      if (!this.isReady)
        this.#stop({ how: 'not-started', why: `it was not ready within ${readyMs / 1000} s` })
    })
    this.#converse().then(
      () => this.#stop({ how: 'done' }),
      (error: unknown) => {
        const why = error instanceof Refused ? error.message : String(error)
        if (!this.isReady) this.#stop({ how: 'not-started', why })
        else {
          const isLost = error instanceof Refused && error.isLogin
          this.#options.sink.end(
            isLost ? { how: 'lost', why, reason: 'request-refused' } : { how: 'failed', why },
          )
          this.#stop({ how: 'failed', why })
        }
      },
    )
  }

  /** Reads one line of the agent's output. */
  line(text: string): void {
    const given = parseJson(text)
    if (!isRecord(given) || this.#end !== null) return
    const id = child(given, 'id')
    if (typeof child(given, 'method') === 'string') {
      if (typeof id === 'string' || typeof id === 'number') this.#answer(id, given)
      return
    }
    if (typeof id !== 'number') return
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    const error = child(given, 'error')
    waiting?.(isRecord(error) ? { error } : { result: child(given, 'result') })
  }

  /** Asks the agent to cancel its work. After a moment, the agent is stopped. */
  cancel(): void {
    if (this.#isCancelled || this.#end !== null) return
    this.#isCancelled = true
    if (this.#session !== null)
      this.#send({ method: 'session/cancel', params: { sessionId: this.#session } })
    this.#after(this.#grace, () => this.#options.finish())
  }

  /** Called when the agent's program has ended. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
    this.#waiting.clear()
  }

  async #converse(): Promise<void> {
    const { prompts, sink } = this.#options
    const known = await this.#call('initialize', {
      protocolVersion: VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'assay', title: 'Assay', version: '1' },
    })
    const version = child(known, 'protocolVersion')
    if (version !== VERSION)
      throw new Refused(
        `it speaks version ${JSON.stringify(version) ?? 'unknown'} of the Agent Client Protocol, and Assay version ${VERSION}`,
      )
    const info = child(known, 'agentInfo')
    const named = [textAt(info, 'name'), textAt(info, 'version')].filter((one) => one !== '')
    if (named.length > 0) sink.version(named.join(' '))
    const mcpServers = this.#servers(child(known, 'agentCapabilities'))
    const made = await this.#call('session/new', { cwd: this.#options.folder, mcpServers })
    const session = textAt(made, 'sessionId')
    if (session === '') throw new Refused('it made a session without an id')
    await this.#setModel(session, made)
    sink.session(session)
    this.#session = session
    for (const [turn, text] of prompts.entries()) {
      if (this.#isCancelled) return
      this.#options.beginTurn(turn)
      const prompt = [{ type: 'text', text }]
      const reply = await this.#call('session/prompt', { sessionId: session, prompt })
      if (typeof child(reply, 'stopReason') !== 'string')
        throw new Refused('its reply to the prompt has no reason why it stopped')
      if (child(reply, 'stopReason') !== 'end_turn') return
    }
  }

  async #setModel(session: string, made: unknown): Promise<void> {
    const { model } = this.#options.settings
    if (model === null) return
    const choice = modelChoice(made, model)
    if (choice === null)
      throw new Refused(
        `it does not let its model be chosen: name "${model}" in its command or its settings`,
      )
    this.#options.sink.model(model)
    if (choice.isCurrent) return
    try {
      await this.#call(choice.method, { sessionId: session, ...choice.params })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const known = choice.known.length === 0 ? '' : `; it knows ${choice.known.join(', ')}`
      throw new Refused(`it does not take the model "${model}": ${error.message}${known}`)
    }
  }

  #servers(capabilities: unknown): object[] {
    const canHttp = child(child(capabilities, 'mcpCapabilities'), 'http') === true
    return Object.entries(this.#options.settings.mcpServers).map(([name, server]) => {
      if (!('url' in server))
        return { name, command: server.command, args: server.args, env: pairs(server.env) }
      if (!canHttp) throw new Refused(`it cannot use MCP servers by address, such as ${name}`)
      return { type: 'http', name, url: server.url, headers: pairs(server.headers) }
    })
  }

  async #call(method: string, params: object): Promise<unknown> {
    const id = this.#calls++
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve)
      this.#send({ id, method, params })
    })
    if ('result' in reply) return reply.result
    const text = errorText(reply.error)
    const isLogin = child(reply.error, 'code') === NEEDS_LOGIN
    const login = isLogin ? ' (it needs a login or a key)' : ''
    throw new Refused(`${method} failed: ${text}${login}`, isLogin)
  }

  /** Answers a request of the agent. */
  #answer(id: string | number, request: object): void {
    const method = textAt(request, 'method')
    if (method !== 'session/request_permission') {
      this.#options.sink.odd('the agent asked for something that Assay does not offer')
      const message = `Assay does not offer ${method.slice(0, 100)}`
      this.#send({ id, error: { code: NO_SUCH_METHOD, message } })
      return
    }
    const optionId = this.#isCancelled ? null : permission(child(request, 'params'))
    const outcome = optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId }
    this.#send({ id, result: { outcome } })
  }

  #send(message: object): void {
    const input = this.#input
    if (input === null || this.#end !== null) return
    if (input.pending > MOST_PENDING) {
      const why = 'it does not read what it is sent'
      this.#options.sink.end({ how: 'failed', why })
      this.#stop(this.isReady ? { how: 'failed', why } : { how: 'not-started', why })
      return
    }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #stop(end: AcpEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#input?.end()
    // A correct agent ends when its input ends. Other agents are stopped after a moment.
    this.#after(this.#grace, () => this.#options.finish())
  }

  get #grace(): number {
    return this.#options.graceMs ?? GRACE_MS
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms))
  }
}

const pairs = (record: Readonly<Record<string, string>>): object[] =>
  Object.entries(record).map(([name, value]) => ({ name, value }))

/** Returns the id of the option that allows this call, only once if possible. Returns null if no option allows it. */
function permission(params: unknown): string | null {
  const options = listAt(params, 'options').filter((one) => textAt(one, 'optionId') !== '')
  const found =
    options.find((one) => textAt(one, 'kind') === 'allow_once') ??
    options.find((one) => textAt(one, 'kind').startsWith('allow'))
  return found === undefined ? null : textAt(found, 'optionId')
}
