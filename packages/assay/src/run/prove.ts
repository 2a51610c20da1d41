/**
 * Whether a suite can tell right from wrong: every case's reference must pass, and none of its faulty answers may
 * pass, nor of those that Assay makes itself where it is code. They are graded as answers of a run would be, with nothing asked
 * of anybody: judges are left out, and the answers have cost nothing.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Case, Grade, Integrity, Reason, Suite } from '@assay/contract'
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
import { Semaphore } from './schedule/semaphore.ts'
import { hash32, stream } from '../log/index.ts'
import { neededStore } from './workspaces.ts'
import type { WorkspaceStore } from '../workspace/index.ts'

export interface ProofOptions {
  readonly sandbox: Sandbox | null
  /** As the run's option of this name. */
  readonly sandboxGraders?: boolean
  /** Where workspaces are made, where a case has one. */
  readonly workspaces?: WorkspaceStore | null
  /** For each grader. */
  readonly gradeTimeoutMs: number
  readonly signal: AbortSignal
  /** At once; the cores unless given. */
  readonly parallelism?: number
  /** Whether Assay makes faulty answers of its own; it does unless told. */
  readonly ownFaulty?: boolean
  readonly onCase?: (proof: CaseProof) => void
}

/** How one answer of the suite itself was graded. */
export interface AnswerProof {
  /** The reference, which of the faulty answers, from 1, or one that Assay made itself, by what it does. */
  readonly answer: 'reference' | number | OwnFaulty['name']
  readonly passed: boolean
  readonly score: number | null
  readonly reason: string
  /** As it must be: the reference passes, a faulty answer does not. */
  readonly holds: boolean
  readonly grades: readonly Grade[]
}

export interface CaseProof {
  readonly case: string
  readonly answers: readonly AnswerProof[]
  /** How far its tests are from the code, where it is code. */
  readonly integrity: Integrity | null
  /** Nothing to prove it with: no reference, no faulty answer, or no grader that could say without a judge. */
  readonly lacks: readonly ('reference' | 'faulty' | 'grader')[]
}

/** Grades the suite's own answers; rejects as grading does where a grader itself fails. */
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
  const proofs = await Promise.all(
    answers.map(async ([which, answer]): Promise<AnswerProof> => {
      await places.enter()
      try {
        const { outcome, score, reason, grades } = await grade(suite, one, answer, options)
        const passed = outcome === 'passed'
        return {
          answer: which,
          passed,
          score,
          reason: reason?.text ?? grades[0]?.reason ?? '',
          // What cannot be graded at all is told of the answers that the suite has.
          holds:
            which === 'reference'
              ? passed
              : typeof which === 'number'
                ? outcome === 'failed'
                : !passed,
          grades,
        }
      } finally {
        places.leave()
      }
    }),
  )
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

/** What a judge would say is not known before it is asked, and asking costs. */
function withoutJudges(one: Case): Case {
  const graders = one.graders.filter(({ type }) => graderByType(type)?.advises !== true)
  return graders.length === one.graders.length ? one : { ...one, graders }
}

/** What the suite's own answers took: within every budget. */
const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

async function grade(
  suite: Suite,
  one: Case,
  answer: string,
  { sandbox, sandboxGraders = false, workspaces = null, gradeTimeoutMs, signal }: ProofOptions,
): Promise<TrialOutcome> {
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
        diff: null,
        workspace:
          one.workspace === null
            ? null
            : neededStore({ workspaces }).graded(
                one,
                null,
                Object.fromEntries(answerFiles({ answer, files: {} })),
              ),
      },
      {
        timeoutMs: gradeTimeoutMs,
        signal,
        random: stream(1, 'grade', hash32(`${suite.id}\n${one.id}`), 0),
        sandbox,
        sandboxGraders,
        text: (text) => Promise.resolve(text),
      },
    )
    return trialOutcome(one, { kind: 'graded', grades })
  } catch (error) {
    // A grader that fails on the suite's own answers is the case's fault, most likely its tests'.
    if (error instanceof GraderFailure) {
      const reason: Reason = { code: 'grader-error', text: error.message }
      return trialOutcome(one, { kind: 'errored', reason })
    }
    if (!(error instanceof GraderTimeout)) throw error
    const reason: Reason = { code: 'grader-timeout', text: error.message }
    return trialOutcome(one, { kind: 'failed', reason })
  }
}
