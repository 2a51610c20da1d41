/**
 * Starts each MCP server of an agent once, in the same sandbox, before the agent starts. An agent may continue without
 * a server that does not start. Its work would then be measured without that server. So if a server does not answer,
 * the trial is errored.
 */
import { isAbsolute } from 'node:path'
import { SubjectError, type TrialWorkspace } from '@assay/contract'
import { noted } from '../command/not-started.ts'
import { child, isRecord, parseJson } from '../json.ts'
import type { McpServer } from './agent-kind.ts'
import type { Surroundings } from './surroundings.ts'
import { streamLines } from './trajectory/stream-lines.ts'

const DEADLINE_MS = 60_000
const MOST_BYTES = 8 * 1024 * 1024
const ASKED = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'assay', version: '1' },
  },
})

interface Checked {
  readonly id: string
  readonly servers: Readonly<Record<string, McpServer>>
  readonly around: Surroundings
}

/** Checks that each MCP server of an agent starts. Rejects with a `SubjectError` if one does not. */
export async function checkServers(
  workspace: Pick<TrialWorkspace, 'run' | 'network'>,
  { id, servers, around }: Checked,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, server] of Object.entries(servers)) {
    const why =
      'url' in server
        ? await atAddress(server, workspace.network, signal)
        : await asProgram(workspace, server, around, signal)
    signal.throwIfAborted()
    if (why !== null)
      throw new SubjectError(`the MCP server ${name} of ${id} did not start: ${why}`, {
        reason: 'not-started',
        retry: false,
      })
  }
}

/** Returns why the server did not start. Returns null if it did. */
async function asProgram(
  workspace: Pick<TrialWorkspace, 'run'>,
  { command, args, env }: Extract<McpServer, { command: string }>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<string | null> {
  const lines = streamLines()
  let reply: unknown
  const end = await workspace.run({
    argv: isAbsolute(command)
      ? [command, ...args]
      : // A shell finds the program on the PATH of the sandbox, or in the workspace.
        ['/bin/sh', '-c', 'exec "$0" "$@"', command, ...args],
    env: { ...around.env, ...env },
    reads: around.reads,
    input: '',
    // The server's input is not closed, because some servers end when it closes.
    converse: (stdin) => stdin.write(`${ASKED}\n`),
    timeoutMs: DEADLINE_MS,
    mostBytes: MOST_BYTES,
    signal,
    onOutput: (chunk) => {
      reply ??= lines
        .add(chunk)
        .map(parseJson)
        .find((one) => isRecord(one) && child(one, 'id') === 0)
      return reply === undefined ? 'go on' : 'stop'
    },
  })
  if (isRecord(child(reply, 'result'))) return null
  if (reply !== undefined) return noted('it refused to initialize', end.stderr)
  if (end.how === 'timeout')
    return noted(`it did not answer within ${DEADLINE_MS / 1000} s`, end.stderr)
  return noted(`exit code ${String(end.code ?? end.signal)}`, end.stderr)
}

/** HTTP statuses that mean that there is no such server, or that it refuses the headers. */
const REFUSED = new Set([401, 403, 404])

async function atAddress(
  { url, headers }: Extract<McpServer, { url: string }>,
  network: TrialWorkspace['network'],
  signal: AbortSignal,
): Promise<string | null> {
  if (network === 'none') return 'the trial has no network'
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: ASKED,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    })
    await response.body?.cancel()
    const { status } = response
    return status >= 500 || REFUSED.has(status) ? `it answered with status ${status}` : null
  } catch (error) {
    const { cause, message } = error as Error
    return cause instanceof Error ? cause.message : message
  }
}
