/**
 * A subject that repeats recorded answers. They are the answers of an earlier run, or answers that were made without
 * Assay. No request is sent. An answer keeps its recorded usage, cost, time and stop reason, but this run pays nothing
 * for it. Simulated answers keep the source `simulated` instead of `replay`, so that nobody takes them for a model's
 * answers.
 */
import { stat } from 'node:fs/promises'
import { SubjectError, type Subject, type Suite, type Text, UsageError } from '@assay/contract'
import { isRunFolder, parseDiff, parseMessages, parseTrajectory } from '../../log/index.ts'
import { openRun } from './recorded-run.ts'
import type { Recording } from './recording.ts'
import { openRecordedAnswers } from './recorded-answers.ts'

export interface ReplaySubject extends Subject {
  /** Throws a `UsageError` if the recording has no answer to any of the cases. */
  check(suites: readonly Suite[]): void
}

/** How many answers are read at once. The number is high, because answers are read from memory or from disk. */
const CONCURRENCY = { start: 64, most: 64 }

export function replaySubject(id: string, recording: Recording): ReplaySubject {
  const { config, examples, find, has, read, traces } = recording
  return {
    id,
    kind: 'replay',
    source: recording.isSimulated ? 'simulated' : 'replay',
    pool: `replay ${id}`,
    concurrency: CONCURRENCY,
    config,
    secrets: [],

    check(suites) {
      const asked = suites.flatMap((suite) => suite.cases.map((one) => [suite.id, one.id] as const))
      if (asked.length === 0 || asked.some(([suite, one]) => has(suite, one))) return
      throw new UsageError(
        `${id} has no answer to any of the cases, such as ${asked[0]?.[1] ?? ''}; it has answers to ${examples.join(', ')}, …`,
      )
    },

    // If there is no answer to the case, this value is not used, because nothing is graded.
    traces: (one, suite) => traces(suite, one.id) ?? { trajectory: true, diff: true },

    estimateUsd: () => 0,

    async answer({ suite, case: one, index }) {
      const found = find(suite, one.id, index)
      if (found === null || 'missing' in found) {
        const why = found === null ? '' : `: ${found.missing}`
        throw missing(`${id} has no answer for trial ${index} of ${one.id}${why}`)
      }
      const { text, files, trajectory, stream, diff, messages, log, traffic: _, ...rest } = found
      try {
        return {
          ...rest,
          text: await read(text),
          ...(files === undefined ? {} : { files: await readAll(files, read) }),
          ...(trajectory === undefined
            ? {}
            : { trajectory: parseTrajectory(await read(trajectory)) }),
          ...(stream === undefined ? {} : { stream: await read(stream) }),
          ...(diff === undefined ? {} : { diff: parseDiff(await read(diff)) }),
          ...(messages === undefined ? {} : { messages: parseMessages(await read(messages)) }),
          ...(log === undefined ? {} : { log: await read(log) }),
          spentUsd: 0,
        }
      } catch (error) {
        throw missing(
          `${id}: the answer for trial ${index} of ${one.id} cannot be read: ${(error as Error).message}`,
          error,
        )
      }
    },

    async close() {},
  }
}

const missing = (message: string, cause?: unknown): SubjectError =>
  new SubjectError(message, { reason: 'no-answer', retry: false, cause })

async function readAll(
  files: Readonly<Record<string, Text>>,
  read: Recording['read'],
): Promise<Record<string, string>> {
  const texts: [string, string][] = []
  for (const [path, text] of Object.entries(files)) texts.push([path, await read(text)])
  return Object.fromEntries(texts)
}

/** Opens a run folder or a file of recorded answers for replay. */
export async function openReplay(
  id: string,
  path: string,
  subject: string | null,
): Promise<ReplaySubject> {
  if (isRunFolder(path)) return replaySubject(id, await openRun(path, subject))
  const facts = await stat(path).catch(() => null)
  if (facts === null) throw new UsageError(`${id}: there is no run folder or file ${path}`)
  if (facts.isDirectory()) throw new UsageError(`${id}: the folder ${path} holds no run`)
  if (subject !== null)
    throw new UsageError(`${id}: #${subject} chooses a subject of a run, but ${path} is a file`)
  return replaySubject(id, await openRecordedAnswers(path))
}
