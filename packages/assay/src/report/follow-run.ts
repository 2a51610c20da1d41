/**
 * Reads a run that is being written, again and again. Each time, only the new lines of the log are read. The figures are
 * those that `readRun` returns at the same moment.
 */
import { GrowingLog, lastRevision, readRecord, type RunRecord } from '../log/index.ts'
import { gatherFor, runReport, type Gathered, type RunReport } from './read-run.ts'

interface Followed {
  /** The plan that is in force. Another one needs a new start. */
  readonly plan: string
  readonly log: GrowingLog
  gathered: Gathered
  /** The amount outside of the log that the tally already has. */
  stoppedUsd: number
}

export class RunFollower {
  readonly #folder: string
  #followed: Followed | null = null
  #reading: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the run as it is now. Calls wait for each other. */
  async read(): Promise<RunReport> {
    const mine = this.#reading.then(() => this.#read())
    this.#reading = mine.catch(() => {})
    return mine
  }

  async #read(): Promise<RunReport> {
    const record = readRecord(this.#folder)
    const plan = JSON.stringify(lastRevision(record))
    const followed = this.#followed?.plan === plan ? this.#followed : this.#start(plan, record)
    const recorded = await followed.log.advance()
    const stoppedUsd = record.stoppedUsd ?? 0
    recorded.tally.spend(stoppedUsd - followed.stoppedUsd)
    followed.stoppedUsd = stoppedUsd
    const source = runReport(this.#folder, record, followed.gathered, recorded)
    // Computed at once, because the tally goes on with the next call.
    void source.report
    return source
  }

  #start(plan: string, record: RunRecord): Followed {
    const gathered = gatherFor(this.#folder, record)
    const followed: Followed = {
      plan,
      gathered,
      stoppedUsd: 0,
      log: new GrowingLog(
        this.#folder,
        gathered.plan,
        (ordinal, trial) => followed.gathered.each(ordinal, trial),
        () => {
          followed.gathered = gatherFor(this.#folder, record)
          followed.stoppedUsd = 0
        },
      ),
    }
    this.#followed = followed
    return followed
  }
}
