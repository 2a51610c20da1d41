/** The recorded requests of an agent's trials and their replies, from the folder of a run with `--record`. */
import { join } from 'node:path'
import { SubjectError, UsageError, type Text } from '@assay/contract'
import { Blobs, isRunFolder, parseTraffic, readTrials, type Traffic } from '../../log/index.ts'

export interface RecordedTraffic {
  readonly config: { readonly run: string; readonly subject: string; readonly trials: number }
  /** The environment variables that contained the agent's keys when it was recorded. */
  readonly variables: readonly string[]
  /**
   * Returns the recorded traffic of a trial. Rejects with a `SubjectError` if it was not recorded or cannot be read.
   */
  trial(
    suite: string,
    one: string,
    index: number,
  ): Promise<{ readonly traffic: Traffic; readonly ms: number }>
}

/** Opens the recorded traffic. Throws a `UsageError` if the run has no recorded traffic of the subject. */
export async function openRecordedTraffic(
  id: string,
  folder: string,
  subject: string,
): Promise<RecordedTraffic> {
  if (!isRunFolder(folder)) throw new UsageError(`${id}: there is no run in ${folder}`)
  const blobs = new Blobs(join(folder, 'blobs'))
  const trials = new Map<string, { readonly traffic: Text; readonly ms: number }>()
  let isThere = false
  await readTrials(folder, (trial) => {
    if (trial.subject !== subject) return
    isThere = true
    if (trial.traffic !== undefined)
      trials.set(keyOf(trial.suite, trial.case, trial.index), {
        traffic: trial.traffic,
        ms: trial.time.answerMs,
      })
  })
  if (!isThere) throw new UsageError(`${id}: the run ${folder} has no subject "${subject}"`)
  const [first] = trials.values()
  if (first === undefined)
    throw new UsageError(
      `${id}: the run ${folder} has no recorded traffic of ${subject}: run it with --record`,
    )
  const read = async (text: Text): Promise<Traffic> => parseTraffic(await blobs.read(text))
  return {
    config: { run: folder, subject, trials: trials.size },
    variables: (await read(first.traffic)).variables,
    async trial(suite, one, index) {
      const found = trials.get(keyOf(suite, one, index))
      if (found === undefined)
        throw missing(`${id} has no recorded traffic for trial ${index} of ${one}`)
      try {
        return { traffic: await read(found.traffic), ms: found.ms }
      } catch (error) {
        const { message } = error as Error
        throw missing(`${id}: the traffic of trial ${index} of ${one} cannot be read: ${message}`)
      }
    },
  }
}

const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts)

const missing = (message: string): SubjectError =>
  new SubjectError(message, { reason: 'no-answer', retry: false })
