/**
 * A scripted agent that speaks ACP. It asks for permission, writes a file, tells what its MCP server answers, and ends
 * when its input ends, unless its first argument says otherwise.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [manner = ''] = process.argv.slice(2)
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
const update = (one) => send({ method: 'session/update', params: { sessionId: 's', update: one } })
const waiting = new Map()
let servers = []
let prompts = 0

const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `a${waiting.size}`
    waiting.set(id, resolve)
    send({ id, method, params })
  })

async function work(prompt) {
  const call = { toolCallId: `c${++prompts}`, title: 'write', kind: 'edit' }
  const rawInput = { path: 'said.txt', text: prompt }
  update({ sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput })
  const options = [
    { optionId: 'for ever', kind: 'allow_always', name: 'Always' },
    { optionId: 'now', kind: 'allow_once', name: 'Once' },
  ]
  const { outcome } = await ask('session/request_permission', { toolCall: call, options })
  writeFileSync('said.txt', `${prompt} ${outcome.optionId}\n`)
  update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' })
  if (manner === 'floods') for (;;) send({ id: 'x', method: 'fs/read_text_file', params: {} })
  if (manner === 'hangs') await new Promise(() => setInterval(() => {}, 1000))
  if (manner === 'daemon') spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref()
  const text = `Wrote it, with ${servers.map(({ name }) => name).join(', ') || 'no server'}.`
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  return { stopReason: 'end_turn' }
}

const METHODS = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'scripted', version: '1' } }),
  'session/new': ({ mcpServers }) => {
    servers = mcpServers
    return { sessionId: 's' }
  },
  'session/prompt': ({ prompt: [{ text }] }) => work(text),
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, result } = JSON.parse(line)
    if (method === undefined) waiting.get(id)?.(result)
    else if (id !== undefined) send({ id, result: await METHODS[method](params) })
  })
  .on('close', () => {
    if (manner !== 'stays') process.exit(0)
    setInterval(() => {}, 1000)
  })
