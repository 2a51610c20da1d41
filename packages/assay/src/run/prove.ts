/**
 * Whether a suite can tell right from wrong: every case's reference must score 1, and none of its faulty
 * answers may pass. They are graded as answers of a run would be, with nothing asked of anybody.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Case, Grade, Suite } from '../contract.ts'
import { gradeAnswer, GraderFailure, GraderTimeout } from '../grade/index.ts'
import type { Sandbox } from '../sandbox/index.ts'
import { Places } from './places.ts'
import { settleFailed, settleGraded, type Settled } from './settle.ts'
import { hash32, stream } from './streams.ts'

export interface ProofOptions {
  readonly sandbox: Sandbox | null
  /** For each grader. */
  readonly gradeTimeoutMs: number
  readonly signal: AbortSignal
  /** At once; the cores unless given. */
  readonly parallelism?: number
  readonly onCase?: (proof: CaseProof) => void
}

/** How one answer of the suite itself was graded. */
export interface AnswerProof {
  /** The reference, or which of the faulty answers, from 1. */
  readonly answer: 'reference' | number
  readonly passed: boolean
  readonly score: number | null
  readonly reason: string
  /** As it must be: the reference scores 1, a faulty answer does not pass. */
  readonly holds: boolean
  readonly grades: readonly Grade[]
}

export interface CaseProof {
  readonly case: string
  readonly answers: readonly AnswerProof[]
  /** How far its tests are from the code, where it is code. */
  readonly integrity: 'values' | 'inventory' | null
  /** Nothing to prove it with: no reference, or no faulty answer. */
  readonly lacks: readonly ('reference' | 'faulty')[]
}

/** Grades the suite's own answers; rejects as grading does where a grader itself fails. */
export async function proveSuite(suite: Suite, options: ProofOptions): Promise<CaseProof[]> {
  const places = new Places(options.parallelism ?? availableParallelism())
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
  one: Case,
  places: Places,
  options: ProofOptions,
): Promise<CaseProof> {
  const answers: readonly (readonly ['reference' | number, string])[] = [
    ...(one.reference === null ? [] : [['reference', one.reference] as const]),
    ...one.faulty.map((answer, index) => [index + 1, answer] as const),
  ]
  const proofs = await Promise.all(
    answers.map(async ([which, answer]): Promise<AnswerProof> => {
      await places.enter()
      try {
        const { settled, grades } = await grade(suite, one, answer, options)
        const passed = settled.outcome === 'passed'
        const { score } = settled
        return {
          answer: which,
          passed,
          score,
          reason: settled.reason?.text ?? grades[0]?.reason ?? '',
          holds:
            which === 'reference'
              ? passed && (score === null || score === 1)
              : settled.outcome === 'failed',
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
    lacks: [
      ...(one.reference === null ? ['reference' as const] : []),
      ...(one.faulty.length === 0 ? ['faulty' as const] : []),
    ],
  }
}

async function grade(
  suite: Suite,
  one: Case,
  answer: string,
  { sandbox, gradeTimeoutMs, signal }: ProofOptions,
): Promise<{ settled: Settled; grades: readonly Grade[] }> {
  try {
    const grades = await gradeAnswer(
      {
        case: one,
        answer,
        files: {},
        usage: null,
        usd: null,
        answerMs: 0,
        folder: dirname(suite.path),
      },
      {
        timeoutMs: gradeTimeoutMs,
        signal,
        random: stream(1, 'grade', hash32(`${suite.id}\n${one.id}`), 0),
        sandbox,
        text: (text) => Promise.resolve(text),
      },
    )
    return { settled: settleGraded(grades, one.threshold), grades }
  } catch (error) {
    // A grader that fails on the suite's own answers is the case's fault, most likely its tests'.
    if (error instanceof GraderFailure)
      return {
        settled: {
          outcome: 'errored',
          reason: { code: 'grader-error', text: error.message },
          score: null,
        },
        grades: [],
      }
    if (!(error instanceof GraderTimeout)) throw error
    return { settled: settleFailed({ code: 'grader-timeout', text: error.message }), grades: [] }
  }
}
