/** An MCP server on stdio with one tool. */
import { createInterface } from 'node:readline'

const TOOL = {
  name: 'secret_word',
  description: 'Returns the secret word.',
  inputSchema: { type: 'object', properties: {} },
}

const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'words', version: '1' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'marmalade' }] }),
  ping: () => ({}),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const result = RESULTS[method]?.(params)
  const error = { code: -32601, message: 'no such method' }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
}
