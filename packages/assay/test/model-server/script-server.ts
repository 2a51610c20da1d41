/**
 * A provider on loopback with a scripted model, in the protocols that agents use: Anthropic's Messages, OpenAI's
 * Responses and Chat Completions, and Google's generateContent. It keeps all requests.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicReply } from './script-anthropic.ts'
import { chatReply } from './script-chat.ts'
import { googleReply, googleRequest } from './script-google.ts'
import { responsesReply } from './script-responses.ts'
import type { AgentScript, ScriptedReply } from './script.ts'
import type { Body } from './wire.ts'

export type ScriptedApi = 'anthropic' | 'responses' | 'chat' | 'google'

export interface ScriptedRequest {
  readonly api: ScriptedApi
  /** The body as it was received. */
  readonly text: string
  readonly headers: http.IncomingHttpHeaders
}

export interface ScriptServer {
  readonly origin: string
  readonly requests: readonly ScriptedRequest[]
  close(): Promise<void>
}

/** The request says which script to follow, so one server can serve many trials at once. */
export async function startScriptServer(
  scriptFor: (request: ScriptedRequest) => AgentScript,
): Promise<ScriptServer> {
  const requests: ScriptedRequest[] = []
  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => response.destroy())
    incoming.on('end', () => {
      const path = new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname
      const text = Buffer.concat(chunks).toString('utf8')
      const reply = serve(path, incoming.method ?? '', text, incoming.headers)
      if (reply === null) return
      response.writeHead(reply.status, reply.headers)
      response.end(reply.body)
    })
  })

  function serve(
    path: string,
    method: string,
    text: string,
    headers: http.IncomingHttpHeaders,
  ): ScriptedReply | null {
    const api = method === 'POST' ? apiOf(path) : null
    if (api === null) return { status: 404, headers: {}, body: '{}' }
    const request = { api, text, headers }
    requests.push(request)
    const body = JSON.parse(text) as Body
    const script = scriptFor(request)
    if (api === 'anthropic') return anthropicReply(script, body, requests.length)
    if (api === 'responses') return responsesReply(script, body, requests.length)
    if (api === 'chat') return chatReply(script, body, requests.length)
    const google = googleRequest(path)
    return google === null ? null : googleReply(script, body, requests.length, google)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function apiOf(path: string): ScriptedApi | null {
  if (path.endsWith('/messages')) return 'anthropic'
  if (path.endsWith('/responses')) return 'responses'
  if (path.endsWith('/chat/completions')) return 'chat'
  return googleRequest(path) === null ? null : 'google'
}
