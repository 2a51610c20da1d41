/**
 * The program of a process that runs graders of the user's own: it loads the file, reads which options it
 * takes, and calls it with an answer. Tasks and replies are lines of JSON on descriptor 3. An error that the
 * grader throws goes back as text. A process that the grader hangs is ended by the one that waits for the
 * reply. It is a process and not a thread because threads share memory, and Assay's holds keys.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { graderIn, type AnyCustomGrader } from './custom-grader.ts'
import { isJson } from '../is-json.ts'
import { READY } from '../../pool/index.ts'
import { MOST_PRINTED, type CustomTask, type LastWords, type Reply } from '../worker/task.ts'

const loaded = new Map<string, Promise<AnyCustomGrader>>()

async function load({ file, sha256 }: CustomTask): Promise<AnyCustomGrader> {
  const bytes = await readFile(file)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('its file has changed since the suite was read')
  const url = pathToFileURL(file)
  // One module for each content: what was imported once is never read again.
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
    await grader.grade(graded, options as Readonly<Record<string, never>>),
  )
  // As JSON writes them, some of these would look like facts.
  if (hasFacts(found) && found.facts !== undefined && !isJson(found.facts))
    throw new Error('it gave no judgement: facts must be JSON')
  return { found, printed }
}

const hasFacts = (value: unknown): value is { readonly facts: unknown } =>
  typeof value === 'object' && value !== null && 'facts' in value

/** A number that JSON does not have must not become null, which is a score. */
const written = (reply: Reply): string =>
  JSON.stringify(reply, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )

// What it writes to standard output and error goes with its reply, and must not fill a pipe.
let printed = ''
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk: Uint8Array | string): boolean => {
    printed = (printed + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).slice(
      -MOST_PRINTED,
    )
    return true
  }

const channel = new Socket({ fd: 3 })
// The other side is gone, and nobody waits any more.
channel.on('error', () => process.exit())

createInterface({ input: channel, crlfDelay: Number.POSITIVE_INFINITY })
  .on('line', (line) => {
    void perform(JSON.parse(line) as CustomTask)
      .then((found) => written({ found }))
      // Also where what it gave back cannot be handed over: a function, a class.
      .catch((error: unknown) => written({ failed: words(error) + printedEnd(), limit: false }))
      .then((reply) => channel.write(`${reply}\n`))
  })
  .on('close', () => process.exit())

// What it threw later, on its own: the task under way failed, and what state the grader is in is unknown.
process.on('uncaughtException', (error: unknown) => {
  const last: LastWords = { broken: words(error) }
  channel.write(`${JSON.stringify(last)}\n`, () => process.exit(1))
})
channel.write(`${JSON.stringify(READY)}\n`)

/** Of what it printed, where it failed: the end says most. */
const printedEnd = (): string =>
  printed.trim() === '' ? '' : `; it printed: ${printed.trim().slice(-MOST_QUOTED)}`

const MOST_QUOTED = 300

function words(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`.slice(0, 2000)
    return `threw ${String(error)}`.slice(0, 2000)
  } catch {
    return 'threw something that cannot be shown'
  }
}
