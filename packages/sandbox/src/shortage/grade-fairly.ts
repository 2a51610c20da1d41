/**
 * Grades an answer so that a shortage of memory, processes or time on the machine does not fail a correct answer. If
 * a grading fails while the machine runs out of a resource, it is repeated once, while no other grading runs, and the
 * second result counts.
 *
 * Only two signs count as evidence of a shortage, because an answer cannot forge them. The first is the kernel's
 * counters for limits above the program's own. The second is a control program: a correct program of Assay that fails
 * in the same sandbox. If the control program fails although nothing else runs, the answer cannot be graded. That is
 * a `SandboxError`, and it is thrown before the answer's code is loaded again.
 *
 * An answer that used up the resource itself gains nothing. When it runs alone, the control program works and the
 * answer fails again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SandboxError } from '../sandbox.ts'
import { alone, inCompany } from './company.ts'
import type { Short } from '../control-group/program-group.ts'
import { watchShortage } from './watch-shortage.ts'

/**
 * What a result says about the grading.
 * - `fine`: nothing failed.
 * - `failed`: something failed, for example a test.
 * - `broken`: the program ended in a way that a shortage can cause too, such as a crash.
 * - `late`: the program ran out of time, possibly because of other gradings.
 * - `slow`: the program's wall time ran out before its processor time, possibly because of any other program on the
 *   machine. The control program must then show how much of a processor a program gets.
 */
export type Soundness = 'fine' | 'failed' | 'broken' | 'late' | 'slow'

export interface FairWork<T> {
  grade(): Promise<T>
  soundness(result: T): Soundness
  /**
   * Returns the resource that a control group above the program ran out of; null if there was none. The program's own
   * control group reports this.
   */
  starved?(result: T): Short | null
  /** True if the grading broke before any code of the answer ran, for example because the compiler crashed. */
  isBeforeCode?(result: T): boolean
  /** Runs the control program, a correct program of Assay, in the same sandbox. Resolves with whether it worked. */
  control(): Promise<boolean>
  /** Returns the result of an answer that cannot be graded, because it uses up the machine even when it runs alone. */
  exhausted?(short: Short): T
  /** Replaces `watchShortage` in tests. */
  readonly watch?: () => () => Short | null
  /** Called instead of a real pause between attempts of the control program. Only tests set it. */
  readonly pause?: (ms: number) => Promise<void>
}

export interface Fair<T> {
  readonly result: T
  /** Why the answer was graded again, for people; absent if it was graded once. */
  readonly again?: string
}

/**
 * Grades the work, and again if there was a shortage. Rejects if `grade` rejects. Rejects with a `SandboxError` if
 * the machine cannot even run the control program.
 */
export async function gradeFairly<T>(work: FairWork<T>): Promise<Fair<T>> {
  const first = await inCompany(async (hadCompany): Promise<Fair<T> | Retry> => {
    const shortSince = (work.watch ?? watchShortage)()
    let result: T
    try {
      result = await work.grade()
    } catch (error) {
      const short = error instanceof SandboxError ? (error.starved ?? shortSince()) : null
      if (short === null) throw error
      return { why: `the machine ran out of ${short}`, isShort: true }
    }
    const soundness = work.soundness(result)
    if (soundness === 'fine') return { result }
    const short = work.starved?.(result) ?? shortSince()
    if (short !== null) return { why: `the machine ran out of ${short}`, isShort: true }
    if ((soundness === 'broken' || soundness === 'slow') && !(await works(work)))
      return { why: 'a program of our own failed in the same sandbox, too', isShort: true }
    return (soundness === 'late' || soundness === 'slow') && hadCompany()
      ? { why: null, isShort: false }
      : { result }
  })
  if ('result' in first) return first
  const { why, isShort } = first
  return alone(async () => {
    if (isShort && !(await worksSoon(work)))
      throw new SandboxError(
        `${why}, and alone a program of our own still does not run in the sandbox: this machine has too few processes or too little memory, or its limits are too low`,
      )
    const result = await gradeAlone(work)
    return why === null ? { result } : { result, again: `${why}, so it was graded again, alone` }
  })
}

/**
 * Grades while nothing else runs. The control program has just worked, so if the grading runs out of a resource now,
 * the answer has used it up. There is one exception: the machine runs out of processes before any code of the answer
 * ran. The answer cannot be the cause then. Processes of an earlier grading may still be ending, so the grading is
 * tried again after a pause. If that fails too, the result is a `SandboxError`.
 */
async function gradeAlone<T>(
  work: FairWork<T>,
  [pauseMs, ...pauses]: readonly number[] = COMPILER_PAUSES_MS,
): Promise<T> {
  const shortSince = (work.watch ?? watchShortage)()
  let result: T
  try {
    result = await work.grade()
  } catch (error) {
    const short = error instanceof SandboxError ? (error.starved ?? shortSince()) : null
    if (short === null || work.exhausted === undefined || !(await works(work))) throw error
    return work.exhausted(short)
  }
  if (work.isBeforeCode?.(result) !== true || shortSince() !== 'processes') return result
  if (pauseMs === undefined)
    throw new SandboxError(
      'the machine ran out of processes, also when nothing else was graded: this machine has too few processes, or its limits are too low',
    )
  await (work.pause ?? sleep)(pauseMs)
  return gradeAlone(work, pauses)
}

interface Retry {
  readonly why: string | null
  readonly isShort: boolean
}

/**
 * Runs the control program until it works, a few times at most. Processes of an earlier grading may still be ending,
 * so each pause between attempts is longer than the one before.
 */
async function worksSoon<T>(work: FairWork<T>): Promise<boolean> {
  for (const pauseMs of PAUSES_MS) {
    if (await works(work)) return true
    await (work.pause ?? sleep)(pauseMs)
  }
  return await works(work)
}

const PAUSES_MS = [100, 500, 2000]
/** The pauses between attempts to compile. There is only one, because a compiler may need long to fail. */
const COMPILER_PAUSES_MS = [1000]

async function works<T>(work: FairWork<T>): Promise<boolean> {
  try {
    return await work.control()
  } catch (error) {
    if (error instanceof SandboxError) return false
    throw error
  }
}
