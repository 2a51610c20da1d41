/**
 * Reads a run repeatedly while another process writes it. Each time, only the new lines of the log are read. The
 * figures are the same that `readRun` returns at that moment.
 */
import { GrowingLog, lastRevision, readRecord, type RunRecord } from '../log/index.ts'
import { gatherFor, runReport, type Gathered, type RunReport } from './read-run.ts'

interface Followed {
  /** The current plan of the run, as JSON. If the run gets another plan, everything is read again. */
  readonly plan: string
  readonly log: GrowingLog
  gathered: Gathered
  /** The money spent outside of the log that was already added to the tally. */
  stoppedUsd: number
}

export class RunFollower {
  readonly #folder: string
  #followed: Followed | null = null
  #reading: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the run as it is now. If a call is still going on, the next call waits for it. */
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
    // The report is computed at once, because the next call changes the tally.
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
