/**
 * Checks that a suite can tell right answers from wrong ones. The reference answer of every case must pass. The faulty
 * answers of a case must not pass. For code, Assay also generates faulty answers, which must not pass either. All these
 * answers are graded as in a run, with two differences: judges are not asked, and the answers count as free of cost.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import {
  SubjectError,
  type Case,
  type Grade,
  type Integrity,
  type Reason,
  type Suite,
  type WorkspaceDiff,
} from '@assay/contract'
import {
  answerFiles,
  gradeAnswer,
  graderByType,
  GraderFailure,
  GraderTimeout,
  trialOutcome,
  type TrialOutcome,
} from '../grade/index.ts'
import { ownFaulty, type OwnFaulty } from '@assay/code'
import type { Sandbox } from '@assay/sandbox'
import { applyDiff, isDiff } from '../subject/index.ts'
import { Semaphore } from './schedule/semaphore.ts'
import { hash32, stream } from '../log/index.ts'
import { neededStore } from './workspaces.ts'
import type { WorkspaceStore } from '../workspace/index.ts'

export interface ProofOptions {
  readonly sandbox: Sandbox | null
  /** Whether graders that are programs of the suite run in a sandbox, even if their case does not ask for it. */
  readonly sandboxGraders?: boolean
  /** Creates the workspaces of cases that have one. */
  readonly workspaces?: WorkspaceStore | null
  /** The time limit of each grader. */
  readonly gradeTimeoutMs: number
  readonly signal: AbortSignal
  /** The number of answers graded at the same time. The default is the number of cores. */
  readonly parallelism?: number
  /** Whether Assay generates faulty answers. The default is true. */
  readonly ownFaulty?: boolean
  readonly onCase?: (proof: CaseProof) => void
}

/** How one answer was graded. */
export interface AnswerProof {
  /**
   * Which answer was graded: the reference, the number of a faulty answer (from 1), the name of a faulty answer that
   * Assay generated, or `start`, which is the case's workspace without any work.
   */
  readonly answer: 'reference' | 'start' | number | OwnFaulty['name']
  readonly passed: boolean
  readonly score: number | null
  readonly reason: string
  /** False if there was nothing to grade, for example because the workspace could not be made. */
  readonly isGraded: boolean
  /** Whether the result is as expected. The reference must pass, and a faulty answer must fail. */
  readonly holds: boolean
  readonly grades: readonly Grade[]
}

export interface CaseProof {
  readonly case: string
  readonly answers: readonly AnswerProof[]
  /** For code cases: how well the tests are isolated from the code that they test. Null for other cases. */
  readonly integrity: Integrity | null
  /**
   * What the case would need before this check can prove it: a reference, a faulty answer, or a grader that is not a
   * judge.
   */
  readonly lacks: readonly ('reference' | 'faulty' | 'grader')[]
}

/**
 * Grades the suite's own answers. If a grader fails or times out, the result says so. Other errors reject the promise.
 */
export async function proveSuite(suite: Suite, options: ProofOptions): Promise<CaseProof[]> {
  const places = new Semaphore(options.parallelism ?? availableParallelism())
  return await Promise.all(
    suite.cases.map(async (one) => {
      const proof = await proveCase(suite, one, places, options)
      options.onCase?.(proof)
      return proof
    }),
  )
}

async function proveCase(
  suite: Suite,
  whole: Case,
  places: Semaphore,
  options: ProofOptions,
): Promise<CaseProof> {
  const one = withoutJudges(whole)
  const lacks: CaseProof['lacks'] = [
    ...(one.reference === null ? ['reference' as const] : []),
    ...(one.faulty.length === 0 ? ['faulty' as const] : []),
    ...(one.graders.length === 0 ? ['grader' as const] : []),
  ]
  if (lacks.includes('grader')) return { case: one.id, answers: [], integrity: null, lacks }
  const answers: readonly (readonly [AnswerProof['answer'], string])[] = [
    ...(one.reference === null ? [] : [['reference', one.reference] as const]),
    ...one.faulty.map((answer, index) => [index + 1, answer] as const),
    ...(options.ownFaulty === false ? [] : ownFaulty(one)).map(
      ({ name, answer }) => [name, answer] as const,
    ),
  ]
  const hasStart = one.workspace !== null && (options.workspaces ?? null) !== null
  const startProof = hasStart ? [within(places, () => proveStart(suite, one, options))] : []
  const proofs = await Promise.all([
    ...startProof,
    ...answers.map(async ([which, answer]): Promise<AnswerProof> => {
      const graded = await within(places, () => grade(suite, one, answer, options))
      const { outcome, score, reason, grades } = graded
      const passed = outcome === 'passed'
      return {
        answer: which,
        passed,
        score,
        reason: reason?.text ?? grades[0]?.reason ?? '',
        isGraded: isGraded(graded),
        // A faulty answer that the suite contains must be graded and fail, so `holds` is false if it cannot be graded.
        // A faulty answer that Assay generated must only not pass.
        holds:
          which === 'reference'
            ? passed
            : typeof which === 'number'
              ? outcome === 'failed'
              : !passed,
        grades,
      }
    }),
  ])
  const tested = proofs
    .flatMap(({ grades }) => grades)
    .find((given) => given.integrity !== undefined)
  return {
    case: one.id,
    answers: proofs,
    integrity: tested?.integrity ?? null,
    lacks,
  }
}

async function within<T>(places: Semaphore, work: () => Promise<T>): Promise<T> {
  await places.enter()
  try {
    return await work()
  } finally {
    places.leave()
  }
}

/**
 * Grades the workspace without any work. Each grader then says whether its grade is right for an unchanged workspace.
 */
async function proveStart(suite: Suite, one: Case, options: ProofOptions): Promise<AnswerProof> {
  const graded = await grade(suite, one, '', options)
  const { outcome, score, reason, grades } = graded
  const graderFaults = one.graders.flatMap(({ type, name, options: given }) => {
    const own = grades.find((found) => found.name === name)
    const grader = graderByType(type)
    if (grader?.startFault === undefined) return []
    const fault = own === undefined ? (reason?.text ?? '') : grader.startFault(own, given)
    return fault === null ? [] : [`${name}: ${fault}`]
  })
  // If the workspace could not be made, nothing was graded. That does not prove that doing nothing fails.
  const faults = isGraded(graded) ? graderFaults : [reason?.text ?? 'it could not be graded']
  const passed = outcome === 'passed'
  return {
    answer: 'start',
    passed,
    score,
    reason: faults[0] ?? '',
    isGraded: isGraded(graded),
    holds: faults.length === 0,
    grades,
  }
}

const isGraded = ({ outcome, grades }: TrialOutcome): boolean =>
  outcome !== 'errored' || grades.length > 0

/**
 * Removes two kinds of graders. Judges are removed, because asking them costs money. Graders of earlier turns are
 * removed, because a reference is an answer to the last turn only.
 */
function withoutJudges(one: Case): Case {
  const graders = one.graders.filter(
    ({ type, turn = Infinity }) =>
      graderByType(type)?.advises !== true && turn >= Math.max(1, one.turns.length),
  )
  return graders.length === one.graders.length ? one : { ...one, graders }
}

/** The usage of the suite's own answers. It is zero, so it stays within every limit that a grader checks. */
const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

async function grade(
  suite: Suite,
  one: Case,
  answer: string,
  { sandbox, sandboxGraders = false, workspaces = null, gradeTimeoutMs, signal }: ProofOptions,
): Promise<TrialOutcome> {
  let diff: WorkspaceDiff | null = null
  try {
    diff =
      one.workspace !== null && isDiff(answer)
        ? await diffOf(suite, one, answer, { workspaces, signal })
        : null
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    return trialOutcome(one, {
      kind: 'errored',
      reason: { code: 'no-answer', text: error.message },
    })
  }
  try {
    const grades = await gradeAnswer(
      {
        case: one,
        answer,
        files: {},
        usage: NOTHING,
        usd: 0,
        answerMs: 0,
        folder: dirname(suite.path),
        trajectory: null,
        diff,
        workspace:
          one.workspace === null
            ? null
            : neededStore({ workspaces }).graded(
                one,
                diff,
                Object.fromEntries(answerFiles({ answer, files: {} })),
              ),
      },
      {
        timeoutMs: gradeTimeoutMs,
        signal,
        functions: suite.functions ?? null,
        random: stream(1, 'grade', hash32(`${suite.id}\n${one.id}`), 0),
        sandbox,
        sandboxGraders,
        text: (text) => Promise.resolve(text),
      },
    )
    return trialOutcome(one, { kind: 'graded', grades })
  } catch (error) {
    // A grader that fails on one of these answers points to a mistake in the case, most likely in its tests.
    if (error instanceof GraderFailure) {
      const reason: Reason = { code: 'grader-error', text: error.message }
      return trialOutcome(one, { kind: 'errored', reason })
    }
    if (!(error instanceof GraderTimeout)) throw error
    const reason: Reason = { code: 'grader-timeout', text: error.message }
    return trialOutcome(one, { kind: 'failed', reason })
  }
}

/**
 * Applies an answer that is a diff to the start of the case's workspace. Returns the changes, as for an agent's work.
 */
async function diffOf(
  suite: Suite,
  one: Case,
  answer: string,
  { workspaces = null, signal }: Pick<ProofOptions, 'workspaces' | 'signal'>,
): Promise<WorkspaceDiff> {
  const identity = { suite: suite.id, case: one.id, subject: 'reference', index: 0 }
  const workspace = await neededStore({ workspaces }).open(one, identity)
  try {
    return await applyDiff(workspace, answer, signal)
  } finally {
    await workspace.close()
  }
}
