/**
 * The graders that combine other graders: `any` passes if one of its members passes, and `all` passes if every
 * member passes. All members are graded, so their order changes nothing. Members without a verdict are ignored.
 */
import { z } from 'zod'
import { ALL_GRADER, ANY_GRADER, type Grade, type GraderConfig } from '@assay/contract'
import type { Grader, GraderContext, GraderInput, GraderOutput, MemberGrade } from './grader.ts'
import { shortened } from './shown.ts'

/**
 * Returns the option schema of a combination. The schema does not check the members' own options. The suite reader
 * checks each member with the schema of that member's grader.
 */
const optionsOf = (what: string) =>
  z
    .strictObject({
      graders: z
        .array(z.looseObject({ type: z.string() }))
        .min(1)
        .max(100)
        .describe(
          'The members: graders with their own options, name, negate and transform. Neither weight nor required, and no code, judge or label.',
        ),
    })
    .describe(what)

interface Options {
  readonly graders: readonly GraderConfig[]
}

const MOST_IN_REASON = 300

/** The rules of one type of combination. */
interface Combination {
  readonly type: string
  readonly summary: string
  readonly what: string
  /** The member verdict that decides alone: one pass is enough for `any`, and one failure is enough for `all`. */
  readonly decisive: boolean
  readonly score: (scores: readonly number[]) => number
  readonly reason: (decisive: readonly Grade[], others: readonly Grade[]) => string
}

const combination = (kind: Combination): Grader<Options> => ({
  type: kind.type,
  summary: kind.summary,
  options: optionsOf(kind.what) as unknown as z.ZodType<Options>,
  readsAnswer: true,
  combines: true,
  // Each member applies its own deadline, so the combination needs none.
  keepsDeadline: true,
  grade: async (graded: GraderInput, { graders }: Options, context: GraderContext) => {
    if (context.gradeMembers === undefined) throw new Error('its members cannot be graded here')
    return combined(kind, await context.gradeMembers(graded, graders))
  },
})

/** Computes the output of a combination from the grades of its members. */
function combined(kind: Combination, members: readonly MemberGrade[]): GraderOutput {
  const details = members.map(({ grade }) => grade)
  const decided = members.filter(({ grade }) => grade.passed !== null)
  if (decided.length === 0)
    return { score: null, passed: null, reason: 'no member gave a verdict', details }
  const isDecisive = ({ grade }: MemberGrade): boolean => grade.passed === kind.decisive
  const decisive = decided.filter(isDecisive)
  const passed = decisive.length > 0 ? kind.decisive : !kind.decisive
  const scores = decided.flatMap(({ grade }) => grade.score ?? [])
  // `negate` must not turn a failure into a pass if the failure comes from members that could not compare anything.
  const reasons = decisive.length > 0 ? decisive : decided
  const isFinal =
    !passed &&
    (kind.decisive ? reasons.some((one) => one.isFinal) : reasons.every((one) => one.isFinal))
  const culprit = passed ? undefined : reasons.find(({ grade }) => grade.cause !== undefined)
  return {
    score: scores.length === 0 ? null : kind.score(scores),
    passed,
    reason: shortened(
      kind.reason(
        decisive.map(({ grade }) => grade),
        decided.map(({ grade }) => grade),
      ),
      MOST_IN_REASON,
    ),
    details,
    ...(isFinal ? { final: true as const } : {}),
    ...(culprit?.grade.cause === undefined ? {} : { cause: culprit.grade.cause }),
  }
}

const shown = ({ name, reason }: Grade): string => `${name}: ${reason ?? 'no reason given'}`

export const any = combination({
  type: ANY_GRADER,
  summary: 'one of several graders passes',
  what: 'At least one of the members passes. The score is the highest of theirs.',
  decisive: true,
  score: (scores) => Math.max(...scores),
  reason: ([first], others) =>
    first === undefined
      ? `none of ${others.length} passes: ${others.map(shown).join('; ')}`
      : shown(first),
})

export const all = combination({
  type: ALL_GRADER,
  summary: 'all of several graders pass, as one grade',
  what: 'Every member passes. The score is the lowest of theirs.',
  decisive: false,
  score: (scores) => Math.min(...scores),
  reason: ([first], others) => (first === undefined ? `all ${others.length} pass` : shown(first)),
})
