/**
 * A text that changes whenever something in a run folder changes that the pages show. It is made from the state of the
 * files, so no file is read.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isLocked } from '../log/index.ts'

/** The first two are the run itself. The others are what people say about it. */
const FILES = ['run.json', 'trials.jsonl', 'labels.jsonl', 'tags.json'] as const
const OF_RUN = 2

export interface RunStamp {
  readonly text: string
  /** Changes only if the run itself changes, not with labels and tags. */
  readonly run: string
  /** Whether a process is writing the run. */
  readonly isRunning: boolean
}

/** Returns null if the folder contains no run any more. */
export function runStamp(folder: string): RunStamp | null {
  const states = FILES.map((name) => stateOf(join(folder, name)))
  if (states[0] === '') return null
  const isRunning = isLocked(folder)
  const running = isRunning ? 'running' : ''
  return {
    text: [...states, running].join(' '),
    run: [...states.slice(0, OF_RUN), running].join(' '),
    isRunning,
  }
}

function stateOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join('.')
  } catch {
    return ''
  }
}
