/** Reads the answers of an earlier run from its log. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Reason, type Stop, type Traces, type Trial, UsageError } from '@assay/contract'
import { Blobs, readTrials, type AnsweredTrial } from '../../log/index.ts'
import type { Missing, Recorded, Recording } from './recording.ts'

const MOST_EXAMPLES = 3

/**
 * The stop reason of an answer, by the recorded reason of its trial. With any other recorded reason, the answer ended
 * normally.
 */
const STOPS: Readonly<Partial<Record<Reason['code'], Stop>>> = {
  truncated: 'length',
  refused: 'refusal',
  filtered: 'filter',
  'exit-code': 'exit',
  'function-failed': 'threw',
  'answer-timeout': 'timeout',
  'over-limit': 'limit',
}

/** Returns the recorded answers of a subject. `subject` may be null if the run has only one subject. */
export async function openRun(folder: string, subject: string | null): Promise<Recording> {
  const blobs = new Blobs(join(folder, 'blobs'))
  const subjects = new Set<string>()
  const recorder = recordTrials((text) => blobs.read(text))
  await readTrials(folder, (trial) => {
    subjects.add(trial.subject)
    if (subject === null || trial.subject === subject) recorder.add(trial)
  })
  const named = [...subjects].sort()
  const [only] = named
  if (only === undefined) throw new UsageError(`the run ${folder} has no trials to replay`)
  if (subject === null && named.length > 1)
    throw new UsageError(
      `the run ${folder} has several subjects (${named.join(', ')}): choose one with replay:${folder}#SUBJECT`,
    )
  if (subject !== null && !subjects.has(subject))
    throw new UsageError(`the run ${folder} has no subject "${subject}", only ${named.join(', ')}`)
  return recorder.done({ run: folder, subject: subject ?? only })
}

interface TrialRecorder {
  /** Adds a trial. A later trial of the same case and index replaces the earlier one. */
  readonly add: (trial: Trial) => void
  readonly done: (about: { readonly [key: string]: string }) => Recording
}

/** Collects the answers of one subject's trials. */
function recordTrials(read: Recording['read']): TrialRecorder {
  const byCase = new Map<string, Map<number, Recorded | Missing>>()
  const examples: string[] = []
  const sources = new Set<string>()
  const hash = createHash('sha256')
  return {
    add(trial) {
      const key = keyOf(trial.suite, trial.case)
      const answers = byCase.get(key) ?? new Map<number, Recorded | Missing>()
      if (answers.size === 0) {
        byCase.set(key, answers)
        if (examples.length < MOST_EXAMPLES) examples.push(trial.case)
      }
      const kept = recordedOf(trial)
      answers.set(trial.index, kept)
      sources.add(trial.source)
      hash.update(`${JSON.stringify([trial.suite, trial.case, trial.index, kept])}\n`)
    },
    done: (about) => ({
      config: { ...about, sha256: hash.digest('hex'), sources: [...sources].sort() },
      isSimulated: sources.has('simulated'),
      examples,
      find: (suite, one, index) => byCase.get(keyOf(suite, one))?.get(index) ?? null,
      has: (suite, one) => byCase.has(keyOf(suite, one)),
      traces: (suite, one) => tracesIn([...(byCase.get(keyOf(suite, one))?.values() ?? [])]),
      read,
    }),
  }
}

/** The reason why a masked answer is not replayed. Its grade could differ from the grade of the original answer. */
export const MASKED_ANSWER =
  'its answer held a secret and is recorded masked, so it cannot be graded again as it was'
function tracesIn(all: readonly (Recorded | Missing)[]): Traces | null {
  const answers = all.filter((one): one is Recorded => !('missing' in one))
  if (answers.length === 0) return null
  return {
    trajectory: answers.some(({ trajectory }) => trajectory !== undefined),
    diff: answers.some(({ diff }) => diff !== undefined),
  }
}

const keyOf = (suite: string, one: string): string => JSON.stringify([suite, one])

/**
 * Returns the answer of a recorded trial, in the form in which the subject gave it. If there is none, returns the
 * reason.
 */
export function recordedOf({
  answer,
  files,
  trajectory,
  stream,
  diff,
  messages,
  isJson,
  log,
  traffic,
  gateway,
  claimed,
  network,
  usage,
  cost,
  time,
  reason,
  remarks,
  masked = [],
}: AnsweredTrial): Recorded | Missing {
  if (answer === null) return { missing: reason?.text ?? 'that trial had no answer' }
  if (masked.length > 0) return { missing: MASKED_ANSWER }
  const stop = reason === undefined ? undefined : STOPS[reason.code]
  return {
    text: answer,
    ...(files === undefined ? {} : { files }),
    ...(trajectory === undefined ? {} : { trajectory }),
    ...(stream === undefined ? {} : { stream }),
    ...(diff === undefined ? {} : { diff }),
    ...(messages === undefined ? {} : { messages }),
    ...(isJson === undefined ? {} : { isJson }),
    ...(log === undefined ? {} : { log }),
    ...(traffic === undefined ? {} : { traffic }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(claimed === undefined ? {} : { claimed }),
    ...(network === undefined ? {} : { network }),
    stop: stop ?? 'end',
    // If the answer did not end normally, the text of the recorded reason is the note that the subject gave. The replay
    // returns the same note.
    ...(stop === undefined || reason === undefined ? {} : { note: reason.text }),
    usage,
    usd: cost.answerUsd,
    ms: time.answerMs,
    ...(remarks === undefined ? {} : { remarks }),
  }
}
