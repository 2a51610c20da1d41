/**
 * Grades hostile answers as a run of Assay would. It is a separate process, so that another user can run it. It
 * prints each trial when it is recorded. At the end it prints the counts and the longest time that the event loop
 * was blocked.
 */
import { readFileSync } from 'node:fs'
import { loadSuite, run, UsageError, type Subject, type Trial } from 'assay'

/** The file that says what to grade. It is a file because answers are long. */
export interface Job {
  readonly suite: string
  readonly folder: string
  readonly sandbox: 'bubblewrap' | 'none'
  /** The answers by case. */
  readonly answers: Readonly<Record<string, string>>
}

export type Told =
  | { readonly trial: Trial }
  | { readonly missing: string }
  | { readonly counts: Readonly<Record<string, number>>; readonly stoodStillMs: number }

const tell = (told: Told): void => {
  process.stdout.write(`${JSON.stringify(told)}\n`)
}

const TICK_MS = 50
let last = performance.now()
let stoodStillMs = 0
setInterval(() => {
  const now = performance.now()
  stoodStillMs = Math.max(stoodStillMs, now - last - TICK_MS)
  last = now
}, TICK_MS).unref()

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job

const subject: Subject = {
  id: 'hostile',
  kind: 'command',
  source: 'live',
  pool: 'hostile',
  concurrency: { start: 2, most: 2 },
  config: { hostile: true },
  secrets: [],
  estimateUsd: () => 0,
  answer: ({ case: { id } }) =>
    Promise.resolve({ text: job.answers[id] ?? '', stop: 'end', usage: null, usd: 0 }),
  close: () => Promise.resolve(),
}

try {
  const { suite } = await loadSuite(job.suite)
  const { tally } = await run({
    suites: [suite],
    subjects: [subject],
    folder: job.folder,
    trials: 1,
    parallelism: 2,
    maxErrors: 1,
    sandbox: job.sandbox,
    onEvent: (event) => {
      if (event.type === 'trial') tell({ trial: event.trial })
    },
  })
  tell({ counts: { ...tally.counts() }, stoodStillMs: Math.round(stoodStillMs) })
} catch (error) {
  // The toolchain of the language is missing. Any other error is a fault of this test.
  if (!(error instanceof UsageError) || !error.message.includes('cannot grade its code'))
    throw error
  tell({ missing: error.message })
}
