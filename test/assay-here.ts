/**
 * The built command, called in this process. A start of the command costs a third of a second of processor time, so it
 * is started only by tests of what a process has (signals, streams, keys in its environment) and by the commands of
 * the docs.
 *
 * The command finds its working directory and its variables as in its own process. The process keeps two things that a
 * new one would not have: keys with the variables of an `--env-file`, and the data of modules by their paths. A call
 * with a key is refused here. Tests of the others start the command.
 */
import { createRequire } from 'node:module'
import { Writable } from 'node:stream'
import type { main as mainOfSource } from '../packages/assay/src/cli/main.ts'
import { isSecretName } from '../packages/assay/src/environment/index.ts'
import type { CommandOptions, Ended } from './command.ts'

// Node loads the bundle, not Vitest, so that it is the one that is shipped.
const { main } = createRequire(import.meta.url)('../packages/assay/dist/command/main.js') as {
  readonly main: typeof mainOfSource
}

type Texts = { stdout: string; stderr: string; said: string }

/** A stream that is not a terminal and keeps what is written to it. */
const kept = (texts: Texts, name: 'stdout' | 'stderr'): NodeJS.WriteStream & { fd: 1 & 2 } =>
  Object.assign(
    new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        texts[name] += text
        texts.said += text
        done()
      },
    }),
    { isTTY: false, fd: -1 },
  ) as unknown as NodeJS.WriteStream & { fd: 1 & 2 }

function replaceVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

const writeToStderr = process.stderr.write.bind(process.stderr)

async function callMain(words: readonly string[], { cwd, env }: CommandOptions): Promise<Ended> {
  const texts: Texts = { stdout: '', stderr: '', said: '' }
  const { stderr } = process
  const before = { cwd: process.cwd(), env: { ...process.env } }
  const streams = { stdout: kept(texts, 'stdout'), stderr: kept(texts, 'stderr'), env }
  try {
    process.chdir(cwd)
    replaceVariables(env)
    // What a module of the folder prints goes there directly.
    stderr.write = streams.stderr.write.bind(streams.stderr) as typeof stderr.write
    return { code: await main(words, streams), ...texts }
  } finally {
    stderr.write = writeToStderr
    replaceVariables(before.env)
    process.chdir(before.cwd)
  }
}

/** Calls wait for each other, because the process has one working directory. */
let last: Promise<unknown> = Promise.resolve()

export function assayHere(words: readonly string[], options: CommandOptions): Promise<Ended> {
  const keys = Object.keys(options.env).filter(isSecretName)
  if (keys.length > 0) throw new Error(`${keys.join(', ')}: start the command if it gets a key`)
  const ended = last.then(() => callMain(words, options))
  last = ended.catch(() => {})
  return ended
}
