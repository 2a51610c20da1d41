/** Starts the model server as a separate process, and talks to it from a test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Counts } from './server.ts'

export interface ModelProcess {
  readonly port: number
  readonly origin: string
  readonly pid: number
  counts(): Promise<Counts>
  stop(): Promise<void>
}

export async function startModelProcess(
  options: {
    readonly latencyMs?: number
    readonly wrongShare?: number
    readonly lifetimeSeconds?: number
  } = {},
): Promise<ModelProcess> {
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('main.ts', import.meta.url)),
      `--latency=${options.latencyMs ?? 0}`,
      `--wrong=${options.wrongShare ?? 0}`,
      `--lifetime=${options.lifetimeSeconds ?? 900}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const port = await Promise.race([
    firstLine(child.stdout).then((line) => (JSON.parse(line) as { port: number }).port),
    ended.then(([code]) => {
      throw new Error(`the model server ended with code ${String(code)} before it was ready`)
    }),
  ])
  const origin = `http://127.0.0.1:${port}`
  return {
    port,
    origin,
    pid: child.pid ?? 0,
    counts: async () => {
      const response = await fetch(`${origin}/counts`, { signal: AbortSignal.timeout(5000) })
      return (await response.json()) as Counts
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
  }
  return text
}
