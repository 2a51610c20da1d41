/**
 * The program of a thread that runs graders of the user's own: loads the file, asks what options it takes,
 * and calls it with an answer. Whatever it throws goes back as words. A thread that it hangs is ended by
 * whoever waits for the reply, which is why it does not run in the main thread.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { graderIn, type AnyCustomGrader } from './custom-grader.ts'
import { READY, type CustomTask, type Reply } from './task.ts'

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
  if (task.call === null) return grader.options ?? {}
  const { graded, options } = task.call
  return await grader.grade(graded, options as Readonly<Record<string, never>>)
}

// What it prints would mix with what this process prints, which may be data for a machine.
for (const stream of [process.stdout, process.stderr]) stream.write = () => true

const port = parentPort
if (port === null) throw new Error('grade/custom-thread runs as a worker thread only')

port.on('message', (task: CustomTask) => {
  perform(task)
    .then((found): Reply => ({ found }))
    .then((reply) => port.postMessage(reply))
    .catch((error: unknown) => {
      // Also where what it gave back cannot be handed over: a function, a class.
      port.postMessage({ failed: words(error), limit: false } satisfies Reply)
    })
})
port.postMessage(READY)

function words(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`.slice(0, 2000)
    return `threw ${String(error)}`.slice(0, 2000)
  } catch {
    return 'threw something that cannot be shown'
  }
}
