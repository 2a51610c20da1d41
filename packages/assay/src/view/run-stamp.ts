/**
 * Computes a stamp of a run folder: a text that changes whenever something changes that the pages show. It is made
 * from the size, time and similar properties of the files. So no file has to be read.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isLocked } from '../log/index.ts'

/**
 * The files whose state is in the stamp. The first two are the run itself. The others are labels and tags that
 * people add.
 */
const FILES = ['run.json', 'trials.jsonl', 'labels.jsonl', 'tags.json'] as const
const OF_RUN = 2

export interface RunStamp {
  readonly text: string
  /** A stamp that changes only if the run itself changes. Labels and tags do not change it. */
  readonly run: string
  /** Whether a process is writing the run. */
  readonly isRunning: boolean
}

/** Returns texts that change whenever the files of the run change. Null if the folder contains no run. */
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
