/**
 * Opens a run to resume it, and sorts its contents into recorded trials, answers that are not graded yet, and damaged
 * lines. If a trial's line is damaged but its answer is intact, the answer is graded again. The subject is not asked
 * again.
 */
import type { Subject, Suite } from '@assay/contract'
import {
  namedDamage,
  RunFolder,
  type AnsweredTrial,
  type Plan,
  type ResumeOptions,
  type Tally,
  type TrialsRead,
} from '../../log/index.ts'
import { loadTexts } from '../grade/stored-texts.ts'
import { isPending, type Pending } from './pending.ts'
import { pendingOf } from './regrade.ts'

/** The state of a run whose folder is open. */
export interface OpenedRun {
  readonly folder: RunFolder
  /** The answers that are not graded yet, by the trial's position in the plan. */
  readonly pending: Map<number, Pending>
  /**
   * The trials that are asked again because their stored answer was masked, by their position in the plan. The value is
   * the money that was paid for that answer. (Trials without a stored answer are asked again too, and are not listed here.)
   */
  readonly askedAgain: ReadonlyMap<number, number>
}

export async function openRecorded(
  path: string,
  plan: Plan<Suite, Subject>,
  tally: Tally,
  {
    secrets,
    warn,
    ...options
  }: ResumeOptions & {
    readonly secrets: readonly string[]
    readonly warn: (text: string) => void
  },
): Promise<OpenedRun> {
  const pending = new Map<number, Pending>()
  const askedAgain = new Map<number, number>()
  /** The trials whose line in the log already includes the cost of their answer. */
  const booked = new Set<number>()
  /** The intact parts of those trials whose line in the log is damaged. */
  const salvaged = new Map<number, AnsweredTrial>()
  const isOpen = (ordinal: number): boolean => {
    const outcome = tally.outcomeAt(ordinal)
    // An errored trial may still have an answer. In that case, only its grading is repeated.
    return outcome === null || outcome === 'errored'
  }
  const { folder, read, damagedAnswers } = await RunFolder.resume(
    path,
    secrets,
    {
      trial: (trial) => {
        const ordinal = tally.add(trial)
        if (ordinal === null) return
        salvaged.delete(ordinal)
        if (trial.answer !== null) booked.add(ordinal)
      },
      answered: (trial) => {
        tally.spend(trial.cost.spentUsd)
        const ordinal = plan.ordinalOf(trial)
        if (ordinal === null || plan.cellAt(ordinal).case.hash !== trial.caseHash) return
        if (trial.answer !== null) booked.add(ordinal)
        salvaged.set(ordinal, trial)
      },
      pending: (value) => {
        if (!isPending(value)) return false
        const ordinal = plan.ordinalOf(value)
        if (ordinal === null || !isOpen(ordinal)) return false
        if (plan.cellAt(ordinal).case.hash !== value.caseHash) return false
        const spentUsd = booked.has(ordinal) ? 0 : value.spentUsd
        // Masking changed the stored answer, so graders would not see the original one. The subject is asked again.
        if ((value.masked ?? []).length > 0) {
          askedAgain.set(ordinal, spentUsd)
          pending.delete(ordinal)
          return false
        }
        askedAgain.delete(ordinal)
        pending.set(ordinal, { ...value, spentUsd })
        return true
      },
    },
    options,
  )
  try {
    let again = 0
    for (const [ordinal, trial] of salvaged) {
      if (!isOpen(ordinal) || pending.has(ordinal)) continue
      const answer = pendingOf(trial, trial.caseHash)
      if (answer === null) continue
      await folder.appendPending(answer)
      pending.set(ordinal, answer)
      again++
    }
    const lost = await dropDamaged(folder, pending, tally)
    warnOf({ plan, tally, read, askedAgain, warn, again, damagedAnswers, lost })
    return { folder, pending, askedAgain }
  } catch (error) {
    await folder.close(false)
    throw error
  }
}

/** Removes the ungraded answers whose stored texts do not match their hashes. Returns how many were removed. */
async function dropDamaged(
  folder: RunFolder,
  pending: Map<number, Pending>,
  tally: Tally,
): Promise<number> {
  let lost = 0
  for (const [ordinal, { answer, spentUsd }] of pending)
    try {
      await loadTexts((text) => folder.blobs.read(text), answer)
    } catch {
      pending.delete(ordinal)
      tally.spend(spentUsd)
      lost++
    }
  return lost
}

function warnOf(found: {
  readonly plan: Plan<Suite, Subject>
  readonly tally: Tally
  readonly read: TrialsRead
  readonly askedAgain: ReadonlyMap<number, number>
  readonly warn: (text: string) => void
  readonly again: number
  readonly damagedAnswers: number
  readonly lost: number
}): void {
  const { read, warn, again, damagedAnswers, lost, tally } = found
  if (found.askedAgain.size > 0)
    warn(
      `asked for again, because the answer held a secret and was kept masked until its grade: ${found.askedAgain.size} of ${found.plan.planned} trials`,
    )
  if (read.torn) warn('the last line of the log was cut short; that trial is run again')
  if (read.damaged > 0)
    warn(
      `${namedDamage(read)}; those trials are run again${again > 0 ? `. The answers of ${again} are as they were written and are only graded again` : ''}`,
    )
  if (damagedAnswers > 0)
    warn(
      `answers that waited for their grade are damaged, and are asked for again: ${damagedAnswers}`,
    )
  if (lost > 0) warn(`answers whose stored texts are damaged are asked for again: ${lost}`)
  if (tally.foreign > 0)
    warn(`${tally.foreign} recorded trials belong to cases that have changed; they are run again`)
}
