/**
 * Tells a page, with server-sent events, when the data that it shows has changed. The state of the files is checked
 * a few times per second. That works on every file system and also notices that a process was killed.
 */
import type { ServerResponse } from 'node:http'
import type { RunStore } from './run-store.ts'
import { runStamp } from './run-stamp.ts'

const EVERY_MS = 300
/**
 * How often a comment is sent if there is no event. Proxies and browsers may close a connection that is idle for
 * long.
 */
const ALIVE_MS = 15_000

/**
 * Sends events about the run that the parameter `run` names. Without the parameter, sends events about the list of
 * runs.
 */
export function streamEvents(url: URL, response: ServerResponse, store: RunStore): void {
  const key = url.searchParams.get('run')
  const stateNow = (): string => {
    try {
      return key === null ? listState(store) : runState(store, key)
    } catch (error) {
      // An error in a timer would not be caught and would end the server. The page sends its request again and then
      // gets the reason.
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
