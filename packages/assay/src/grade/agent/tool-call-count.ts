/** Checks that the agent called tools, or one given tool, no more often than allowed. */
import { z } from 'zod'
import { matchesName } from '../../text/index.ts'
import type { Grader } from '../grader.ts'
import { actedIn, claimNote, judgeLossy, judgeUntold } from './acted.ts'
import { A_BOUND, A_RANGE, counted, countShape, hasBound, isRange, judgeCount } from './count.ts'
import { shownName, toolCalls } from './step-lines.ts'
import { toolNameSchema } from './tool-entry.ts'

const options = z
  .strictObject({
    ...countShape('Calls'),
    tool: toolNameSchema
      .optional()
      .describe('Only calls of this tool, by its name or a pattern. All tools unless given.'),
  })
  .refine(hasBound, A_BOUND)
  .refine(isRange, A_RANGE)
  .describe('The agent called tools no more often than this.')

export const toolCallCount: Grader<z.infer<typeof options>> = {
  type: 'tool-call-count',
  summary: 'the agent called few enough tools; beyond, the score falls evenly',
  options,
  needs: 'trajectory',
  grade(graded, { tool, ...range }) {
    const trajectory = actedIn(graded)
    if (trajectory === null) return judgeUntold(graded)
    if (trajectory.lossy === true && range.max !== undefined) return judgeLossy()
    const calls = toolCalls(trajectory).filter(
      ({ name }) => tool === undefined || matchesName(name, tool),
    )
    const of = tool === undefined ? '' : ` of ${shownName(tool)}`
    const judged = judgeCount(calls.length, range, counted(`tool call${of}`, `tool calls${of}`))
    return { ...judged, reason: `${judged.reason ?? ''}${claimNote(trajectory, 'tool-call')}` }
  },
}
