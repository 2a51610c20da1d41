/**
 * The main module of a process that runs custom graders. It loads a grader's file, reads which options the grader
 * accepts, and calls it with an answer. Tasks and replies are lines of JSON on file descriptor 3. An error that the
 * grader throws is sent back as text. If the grader hangs, Assay's main process kills this process. A thread would
 * not do: threads share memory, and Assay's memory contains API keys.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  graderIn,
  type AnyCustomGrader,
  type CustomGraded,
  type GradedAnswer,
} from './custom-grader.ts'
import { isJson } from '../is-json.ts'
import { READY, readProjectModules } from '../../pool/index.ts'
import { MOST_PRINTED, type CustomTask, type LastWords, type Reply } from '../worker/task.ts'

readProjectModules()

const loaded = new Map<string, Promise<AnyCustomGrader>>()

async function load({ file, sha256 }: CustomTask): Promise<AnyCustomGrader> {
  const bytes = await readFile(file)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('its file has changed since the suite was read')
  const url = pathToFileURL(file)
  // Node caches modules by URL. With the hash in the URL, a changed file is loaded again.
  url.search = sha256
  const module: unknown = await import(url.href)
  return graderIn(module)
}

async function perform(task: CustomTask): Promise<unknown> {
  const key = `${task.sha256} ${task.file}`
  const loading = loaded.get(key) ?? load(task)
  loaded.set(key, loading)
  loading.catch(() => loaded.delete(key))
  const grader = await loading
  if (task.call === null) {
    const options: unknown = structuredClone(grader.options ?? {})
    return isJson(options) ? options : null
  }
  const { graded, options } = task.call
  printed = ''
  const found: unknown = structuredClone(
    await grader.grade(withOutput(graded), options as Readonly<Record<string, never>>),
  )
  // Check `facts` before they are written. `JSON.stringify` would turn some values that are not JSON into valid
  // facts.
  if (hasFacts(found) && found.facts !== undefined && !isJson(found.facts))
    throw new Error('it gave no judgement: facts must be JSON')
  return { found, printed }
}

/** Adds the fields that a function of the suite gets when it is used as a grader, under the same names. */
function withOutput(graded: GradedAnswer): CustomGraded {
  const { answer, isJson: isValue, case: one } = graded
  return {
    ...graded,
    // The declared type is text. But if a function of the suite answered, `output` is the value that the function
    // returned.
    output: isValue === true ? (JSON.parse(answer) as string) : answer,
    input: one.input === undefined ? one.turns.join('\n\n') : one.input,
    ...(one.expected === undefined ? {} : { expected: one.expected }),
  }
}

const hasFacts = (value: unknown): value is { readonly facts: unknown } =>
  typeof value === 'object' && value !== null && 'facts' in value

/**
 * Returns a reply as JSON. Infinity and NaN are replaced, because `JSON.stringify` would write null, which is a
 * valid score.
 */
const written = (reply: Reply): string =>
  JSON.stringify(reply, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )

// Collect what the grader prints and send it with the reply. A pipe could fill up and block the grader.
let printed = ''
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk: Uint8Array | string): boolean => {
    printed = (printed + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).slice(
      -MOST_PRINTED,
    )
    return true
  }

const channel = new Socket({ fd: 3 })
// Assay has closed its end of the channel and does not wait for a reply, so this process ends.
channel.on('error', () => process.exit())

createInterface({ input: channel, crlfDelay: Number.POSITIVE_INFINITY })
  .on('line', (line) => {
    void perform(JSON.parse(line) as CustomTask)
      .then((found) => written({ found }))
      // This also catches a result that cannot be written as JSON, such as a cyclic object.
      .catch((error: unknown) => written({ failed: words(error) + printedEnd(), limit: false }))
      .then((reply) => channel.write(`${reply}\n`))
  })
  .on('close', () => process.exit())

// An error was thrown outside a call, for example in a timer. The current task fails. The process ends, because the
// state of the grader is unknown.
process.on('uncaughtException', (error: unknown) => {
  const last: LastWords = { broken: words(error) }
  channel.write(`${JSON.stringify(last)}\n`, () => process.exit(1))
})
channel.write(`${JSON.stringify(READY)}\n`)

/** Returns the end of the grader's output, for an error message. The end is usually the most helpful part. */
const printedEnd = (): string =>
  printed.trim() === '' ? '' : `; it printed: ${printed.trim().slice(-MOST_QUOTED)}`

const MOST_QUOTED = 300
const MOST_WORDS = 2000

/**
 * Returns the line in the grader's file that an error comes from. Lines in Node and in packages are skipped, because
 * they do not help.
 */
function lineOf({ stack = '' }: Error): string {
  for (const [, file = '', line] of stack.matchAll(/file:\/\/([^\s?)]+)(?:\?[\da-f]+)?:(\d+)/gu))
    if (!file.includes('/node_modules/') && file !== OWN_FILE)
      return ` (${basename(decodeURIComponent(file))}:${line})`
  return ''
}

const OWN_FILE = new URL(import.meta.url).pathname

function words(error: unknown): string {
  try {
    if (error instanceof Error)
      return `${error.name}: ${error.message}`.slice(0, MOST_WORDS) + lineOf(error)
    return `threw ${String(error)}`.slice(0, MOST_WORDS)
  } catch {
    return 'threw something that cannot be shown'
  }
}
