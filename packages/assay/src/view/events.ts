/**
 * Tells a page when what it shows has changed, as server-sent events. The state of the files is looked at a few times
 * per second. That works on every file system, and it also notices a process that was killed.
 */
import type { ServerResponse } from 'node:http'
import type { RunStore } from './run-store.ts'
import { runStamp } from './run-stamp.ts'

const EVERY_MS = 300
/** A comment keeps the connection open where something closes idle ones. */
const ALIVE_MS = 15_000

/** With `run`, the events are about that run, otherwise about the list of runs. */
export function streamEvents(url: URL, response: ServerResponse, store: RunStore): void {
  const key = url.searchParams.get('run')
  const stateNow = (): string => {
    try {
      return key === null ? listState(store) : runState(store, key)
    } catch (error) {
      // Nobody catches an error of a timer. The page asks again and gets the reason as an answer.
      return `error: ${(error as Error).message}`
    }
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let last = stateNow()
  response.write(`retry: 1000\ndata: ${last === 'gone' ? 'gone' : 'connected'}\n\n`)
  let quietMs = 0
  const timer = setInterval(
    () => {
      const now = stateNow()
      quietMs += EVERY_MS
      if (now !== last) response.write(`data: ${now === 'gone' ? 'gone' : 'changed'}\n\n`)
      else if (quietMs >= ALIVE_MS) response.write(': alive\n\n')
      else return
      last = now
      quietMs = 0
    },
    key === null ? 3 * EVERY_MS : EVERY_MS,
  )
  response.on('close', () => clearInterval(timer))
}

function listState(store: RunStore): string {
  const { runs, pending } = store.list()
  return JSON.stringify([pending, store.compared, runs])
}

function runState(store: RunStore, key: string): string {
  const folder = store.folderOf(key)
  return (folder === null ? null : runStamp(folder))?.text ?? 'gone'
}
