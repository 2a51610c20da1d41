/** Workers of a queue as processes, as people start them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const ASSAY = fileURLToPath(new URL('../../bin/assay.js', import.meta.url))

export interface Started {
  readonly process: ChildProcess
  /** Each line of JSON that it printed. */
  readonly events: { readonly type: string; readonly [key: string]: unknown }[]
  /** What it printed for people. */
  said(): string
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts the command with `--json`. */
export function startAssay(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Started {
  const child = spawn(process.execPath, [ASSAY, ...words, '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const events: Started['events'] = []
  let said = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      events.push(JSON.parse(line) as Started['events'][number])
    } catch {
      said += `${line}\n`
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    process: child,
    events,
    said: () => said,
    ended,
    async kill(signal) {
      child.kill(signal)
      await ended
    },
  }
}
