/**
 * Checks the result of a custom grader or program before it counts. A result has a score from 0 to 1 and a verdict.
 * It can also have a reason, evidence and facts, each short enough for a log record. Any other result is reported as
 * an error of the grader. It never becomes a low score.
 */
import { z } from 'zod'
import { nearest } from '../../text/index.ts'
import { plain } from '@assay/contract'
import type { GraderOutput } from '../grader.ts'
import { isJson } from '../is-json.ts'
import { shortened } from '../shown.ts'

const LONGEST_REASON = 400
const LONGEST_EVIDENCE = 20_000
const LONGEST_FACTS = 20_000

const schema = z.strictObject({
  score: z.number().min(0).max(1).nullable(),
  passed: z.boolean().nullable(),
  reason: z.string().optional(),
  evidence: z.string().optional(),
  facts: z.unknown().optional(),
})

const KEYS = Object.keys(schema.shape)

/** Returns the grader's output. If the output is not valid, throws an error that says what is wrong. */
export function readGraderOutput(given: unknown): GraderOutput {
  const read = schema.safeParse(given)
  if (!read.success) throw new Error(`it gave no judgement: ${faultOf(read.error, given)}`)
  const { score, passed, reason, evidence, facts } = read.data
  if (facts !== undefined && (!isJson(facts) || JSON.stringify(facts).length > LONGEST_FACTS))
    throw new Error(
      `it gave no judgement: facts must be JSON of at most ${LONGEST_FACTS} characters`,
    )
  return {
    score,
    passed,
    ...(reason === undefined ? {} : { reason: plain(shortened(reason, LONGEST_REASON)) }),
    ...(evidence === undefined ? {} : { evidence: shortened(evidence, LONGEST_EVIDENCE) }),
    ...(facts === undefined ? {} : { facts }),
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  score: 'a number from 0 to 1, or null',
  passed: 'true, false or null',
  reason: 'text',
  evidence: 'text',
}

function faultOf({ issues }: z.ZodError, given: unknown): string {
  const [issue] = issues
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const near = nearest(key, KEYS)
    return `it has an unknown key ${plain(JSON.stringify(shortened(key, 60)))}${near === null ? ` in addition to ${KEYS.join(', ')}` : `; did you mean ${near}?`}`
  }
  const key = String(issue?.path[0] ?? '')
  if (key === '') return `expected an object with score and passed, found ${kindOf(given)}`
  return `${key} must be ${EXPECTED[key] ?? 'another value'}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : value === undefined ? 'nothing' : `a ${typeof value}`
}
