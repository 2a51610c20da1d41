/**
 * Reads the constraints of a stimulus (a case in an eval YAML file): limits that stop an agent, and tools that the
 * agent must or must not use. The rules about tools become a grader that can make a trial fail. If that grader
 * passes, the score of the other graders does not change.
 */
import { z } from 'zod'
import { parseDuration, type AgentLimits, type Json } from '@assay/contract'
import { check, type Notes, type Path } from '../../../documents/index.ts'
import type { GraderEntry } from '../../native/grading.ts'
import { durationSchema } from '../../native/schema.ts'
import type { SuiteGrader } from '../../native/suite-grader.ts'
import { limitsOf } from '../../native/workspace.ts'

const tools = z.array(z.string().min(1)).optional()

export const constraintsSchema = z.looseObject({
  max_turns: z.int().min(1).max(1_000_000).optional(),
  max_tokens: z.int().min(1).max(1e10).optional(),
  max_duration: durationSchema.optional(),
  expect_tools: tools,
  reject_tools: tools,
})

type Constraints = z.infer<typeof constraintsSchema>

export const limitsIn = ({ max_turns, max_tokens }: Constraints): AgentLimits | null =>
  limitsOf({
    ...(max_turns === undefined ? {} : { turns: max_turns }),
    ...(max_tokens === undefined ? {} : { tokens: max_tokens }),
  })

export const timeoutIn = ({ max_duration }: Constraints): number | null =>
  max_duration === undefined ? null : parseDuration(max_duration)

const TYPE = 'tool-calls'

interface ConstraintReading {
  readonly graders: readonly SuiteGrader[]
  readonly path: Path
  readonly notes: Notes
  /** Whether the case has no other grader. */
  readonly alone: boolean
}

/** Returns a grader that checks the expected and rejected tools, or null if there are none. */
export function constraintGrader(
  { expect_tools: expected = [], reject_tools: rejected = [] }: Constraints,
  { graders, path, notes, alone }: ConstraintReading,
): GraderEntry | null {
  if (expected.length === 0 && rejected.length === 0) return null
  const grader = graders.find(({ type }) => type === TYPE)
  if (grader === undefined) {
    notes.unread(path, 'is left out: the grader is not available')
    return null
  }
  const given = {
    ...(expected.length === 0 ? {} : { expected }),
    ...(rejected.length === 0 ? {} : { disallowed: rejected }),
  }
  const options = check(grader.options, given, notes, { path })
  if (options === undefined) return null
  return {
    config: {
      type: TYPE,
      name: 'constraints',
      required: true,
      negate: false,
      options: options as Json,
    },
    weight: alone ? 1 : 0,
    decides: true,
  }
}
