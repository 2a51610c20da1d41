/** The built command, and what it gets of the tester's environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const command = at('packages/assay/bin/assay.js')

/**
 * Of the tester's variables only these, so no key and no setting. The tests start the command hundreds of times: Node
 * keeps the compiled code, which makes a start about a tenth cheaper.
 */
export const machine = (): NodeJS.ProcessEnv => {
  const { HOME, PATH } = process.env
  return { HOME, PATH, NODE_COMPILE_CACHE: at('node_modules/.cache/assay-command') }
}

export interface CommandOptions {
  readonly cwd: string
  /** All variables that the command gets. */
  readonly env: NodeJS.ProcessEnv
}

export interface Ended {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Both streams, in the order in which they were written. */
  readonly said: string
}

/** This limit only ends a command that would never end. */
const MOST_MS = 170_000

/** Starts the command as people do. `assayHere` is much quicker, for tests that need no process. */
export async function assayStarted(
  words: readonly string[],
  { cwd, env }: CommandOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  })
  const texts = { stdout: '', stderr: '', said: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
      texts.said += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}
