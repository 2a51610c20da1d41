/**
 * The schema of `transform`. With a transform, a grader of a text gets a part of the answer instead of the whole.
 * The part is a group of a regular expression's match, or the value at a JSON Pointer. Several steps are applied in
 * order.
 */
import { z } from 'zod'
import type { Transform } from '@assay/contract'

const MOST_STEPS = 10

const patternStepSchema = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(10_000)
      .describe('A regular expression of JavaScript, without slashes.'),
    flags: z
      .string()
      .regex(/^[imsuv]*$/, 'flags out of i, m, s, and u or v, each once')
      .optional()
      .describe('i, m, s, u or v, as in the grader matches.'),
    group: z
      .union([z.int().min(0).max(1000), z.string().min(1).max(100)], 'a number or a name')
      .optional()
      .describe(
        'Which group of the match: its number or name; 0 is the whole match. Default: 1 if the pattern has a group, else 0.',
      ),
    match: z
      .enum(['first', 'last'])
      .optional()
      .describe('Which match, if there are several. Default first.'),
  })
  .describe('The part of the answer that a regular expression matches.')

const pathStepSchema = z
  .strictObject({
    path: z
      .string()
      .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'a JSON Pointer such as /items/0/name')
      .describe('A JSON Pointer such as /label. The answer, or its only fenced block, is JSON.'),
  })
  .describe('The value at a place in the answer, which is JSON.')

const stepSchema = z.union(
  [patternStepSchema, pathStepSchema],
  '{ pattern = "…" } or { path = "/…" }',
)

export const transformSchema = z.union(
  [stepSchema, z.array(stepSchema).min(1).max(MOST_STEPS)],
  '{ pattern = "…" }, { path = "/…" }, or a list of these',
)

type Step = z.infer<typeof stepSchema>

/** A problem of a step: where it is in the transform, and what is expected there. */
export interface StepFault {
  readonly path: readonly (string | number)[]
  readonly expected: string
}

/** Returns the steps with their defaults, or what is wrong with them. */
export function readTransform(
  given: z.infer<typeof transformSchema>,
): { readonly steps: readonly Transform[] } | { readonly faults: readonly StepFault[] } {
  const list = Array.isArray(given) ? given : [given]
  const steps: Transform[] = []
  const faults: StepFault[] = []
  for (const [index, step] of list.entries()) {
    const read = readStep(step)
    if ('fault' in read)
      faults.push({
        ...read.fault,
        path: [...(Array.isArray(given) ? [index] : []), ...read.fault.path],
      })
    else steps.push(read)
  }
  return faults.length > 0 ? { faults } : { steps }
}

function readStep(step: Step): Transform | { readonly fault: StepFault } {
  if ('path' in step) return { path: step.path }
  const { pattern, flags = '', match = 'first' } = step
  const fault = (key: string, expected: string) => ({ fault: { path: [key], expected } })
  try {
    RegExp('', flags)
  } catch {
    return fault('flags', 'flags out of i, m, s, and u or v, each once')
  }
  let groups: RegExpExecArray
  try {
    RegExp(pattern, flags)
    // With an empty alternative, the pattern matches the empty text. The match then lists all groups of the pattern.
    groups = RegExp(`${pattern}|`, flags).exec('') as RegExpExecArray
  } catch (error) {
    return fault('pattern', `a regular expression (${String(error).split(': ').at(-1)})`)
  }
  const count = groups.length - 1
  const { group = Math.min(1, count) } = step
  const names = Object.keys(groups.groups ?? {})
  if (typeof group === 'number' ? group > count : !names.includes(group))
    return fault(
      'group',
      `a group of the pattern: 0 to ${count}${names.length === 0 ? '' : `, or ${names.join(', ')}`}`,
    )
  return { pattern, flags, group, match }
}
