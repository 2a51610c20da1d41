/** Grades with a function of the suite. Only a suite that is a program has such functions. */
import { z } from 'zod'
import { FUNCTION_GRADER, type FunctionReply, type Json } from '@assay/contract'
import { readGraderOutput } from '../command/given-output.ts'
import { GraderTimeout, type Grader, type GraderOutput } from '../grader.ts'

const options = z.strictObject({
  index: z.int().min(0).describe('The place of the function.'),
  source: z.string().describe('The hash of its text.'),
})

const FULL = 1 - 1e-9

export const functionGrader: Grader<z.infer<typeof options>> = {
  type: FUNCTION_GRADER,
  summary: 'a function of the suite',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  async grade(
    { case: one, answer, isJson, index = 0 },
    { index: grader },
    { functions, signal, timeoutMs },
  ) {
    if (functions === null || functions === undefined)
      throw new Error('its suite was read without its functions')
    const reply = await functions.call(
      {
        kind: 'grade',
        grader,
        case: one.id,
        index,
        input: one.input === undefined ? one.turns.join('\n\n') : one.input,
        expected: one.expected ?? null,
        isExpected: one.expected !== undefined,
        output: isJson === true ? (JSON.parse(answer) as Json) : answer,
        timeoutMs,
      },
      signal,
    )
    if (reply.how === 'timeout') throw new GraderTimeout(reply.text ?? '')
    if (reply.how !== 'returned') throw new Error(reply.text ?? 'it failed')
    return withLog(outputOf(reply.value), reply)
  },
}

function outputOf(value: Json | undefined): GraderOutput {
  if (typeof value === 'boolean') return { score: value ? 1 : 0, passed: value }
  if (typeof value === 'number') return readGraderOutput({ score: value, passed: value >= FULL })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return readGraderOutput(value)
  const { score = null, passed, reason, ...rest } = value as Readonly<Record<string, Json>>
  return readGraderOutput({
    ...rest,
    score,
    passed: passed === undefined ? (typeof score === 'number' ? score >= FULL : null) : passed,
    ...(reason === undefined || reason === null
      ? {}
      : { reason: typeof reason === 'string' ? reason : JSON.stringify(reason) }),
  })
}

const withLog = (output: GraderOutput, { log }: FunctionReply): GraderOutput =>
  log === ''
    ? output
    : {
        ...output,
        evidence: `${output.evidence === undefined ? '' : `${output.evidence}\n\n`}printed:\n${log}`,
      }
