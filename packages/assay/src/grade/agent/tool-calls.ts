/**
 * Checks which tools the agent called. The options can require tools, forbid tools, and require an order or a number
 * of calls. Each entry of a list is one check, and so are the order and each number. The score is the fraction of
 * checks that hold.
 */
import { z } from 'zod'
import { matchesName } from '../../text/index.ts'
import type { Grader, GraderContext } from '../grader.ts'
import { oneDeadline } from '../regex/pattern.ts'
import { actedIn, claimNote, judgeLossy, judgeUntold, tornNote } from './acted.ts'
import { judgeChecks, type Check } from './checks.ts'
import { callEvidence, shownName, toolCalls, type ToolCall } from './step-lines.ts'
import { fits, shownEntry, toolEntrySchema, toolNameSchema, type ToolEntry } from './tool-entry.ts'

const entries = z.array(toolEntrySchema).min(1).max(100)
const often = z.int().min(0).max(1_000_000)

const options = z
  .strictObject({
    expected: entries
      .optional()
      .describe(
        'Calls that must be there: names of tools, exact or with *, or tables { name, args, result, failed }.',
      ),
    disallowed: entries.optional().describe('Calls that must not be there, as with expected.'),
    sequence: entries
      .optional()
      .describe('Calls that must be there in this order; others may stand between them.'),
    counts: z
      .record(
        toolNameSchema,
        z
          .strictObject({
            min: often.optional().describe('At least this many.'),
            max: often.optional().describe('At most this many.'),
          })
          .refine(({ min, max }) => min !== undefined || max !== undefined, 'min or max')
          .refine(({ min = 0, max = min }) => min <= max, 'a min that is not above max'),
      )
      .optional()
      .describe('How often a tool is called, by its name or pattern: { min, max }.'),
    turn: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Only calls in this one of the user’s turns, from 1. All turns unless given.'),
  })
  .refine(
    ({ expected, disallowed, sequence, counts }) =>
      [expected, disallowed, sequence].some((list) => list !== undefined) ||
      Object.keys(counts ?? {}).length > 0,
    'one of the options expected, disallowed, sequence and counts',
  )
  .describe('The agent called the tools it had to, and none it must not.')

type Options = z.infer<typeof options>

export const toolCallsGrader: Grader<Options> = {
  type: 'tool-calls',
  summary: 'the agent called the tools it had to, in order, so often, and none it must not',
  options,
  needs: 'trajectory',
  keepsDeadline: true,
  async grade(graded, given, context) {
    const trajectory = actedIn(graded)
    if (trajectory === null) return judgeUntold(graded)
    const { turn } = given
    const calls = toolCalls(trajectory).filter(
      (call) => turn === undefined || call.turn === turn - 1,
    )
    const judged = judgeChecks(await checksOf(calls, given, context))
    if (trajectory.lossy === true && judged.passed === true && forbids(given)) return judgeLossy()
    return {
      ...judged,
      reason: `${judged.reason ?? ''}${turn === undefined ? '' : ` (in turn ${turn})`}${claimNote(trajectory, 'tool-call')}${tornNote(trajectory)}`,
      ...(judged.passed === true ? {} : { evidence: callEvidence(calls) }),
      facts: { calls: calls.length },
    }
  },
}

const forbids = ({ disallowed, counts = {} }: Options): boolean =>
  disallowed !== undefined || Object.values(counts).some(({ max }) => max !== undefined)

async function checksOf(
  calls: readonly ToolCall[],
  { expected = [], disallowed = [], sequence, counts = {} }: Options,
  context: GraderContext,
): Promise<Check[]> {
  const deadline = oneDeadline(context)
  const find = async (entry: ToolEntry, from = 0): Promise<number> => {
    for (let at = from; at < calls.length; at++) {
      const call = calls[at]
      context.signal.throwIfAborted()
      if (call !== undefined && (await fits(call, entry, deadline))) return at
    }
    return -1
  }
  const checks: Check[] = []
  for (const entry of expected) {
    const holds = (await find(entry)) !== -1
    checks.push({ holds, says: `${holds ? 'called' : 'did not call'} ${shownEntry(entry)}` })
  }
  for (const entry of disallowed) {
    const at = await find(entry)
    const says = at === -1 ? 'did not call' : `call ${at + 1} is`
    checks.push({ holds: at === -1, says: `${says} ${shownEntry(entry)}` })
  }
  if (sequence !== undefined) checks.push(await inOrder(sequence, find))
  for (const [name, { min = 0, max = Infinity }] of Object.entries(counts)) {
    const count = calls.filter((call) => matchesName(call.name, name)).length
    const wanted =
      max === Infinity ? `at least ${min}` : min === 0 ? `at most ${max}` : `${min} to ${max}`
    checks.push({
      holds: count >= min && count <= max,
      says: `called ${shownName(name)} ${times(count)}, expected ${wanted}`,
    })
  }
  return checks
}

/**
 * Matches each entry of the sequence to the earliest possible call. If the calls contain the sequence at all,
 * this greedy search finds it.
 */
async function inOrder(
  sequence: readonly ToolEntry[],
  find: (entry: ToolEntry, from: number) => Promise<number>,
): Promise<Check> {
  let from = 0
  for (const [i, entry] of sequence.entries()) {
    const at = await find(entry, from)
    if (at === -1) {
      const before = sequence[i - 1]
      const where = before === undefined ? '' : ` after ${shownEntry(before)}`
      return { holds: false, says: `did not call ${shownEntry(entry)}${where}` }
    }
    from = at + 1
  }
  return { holds: true, says: `called ${sequence.length} tools in order` }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
