/**
 * A file of gates, in TOML:
 *
 *     gates = [
 *       { metric = "meanScore", margin = 0.03 },
 *       { metric = "passRate", subject = "careful", min = 0.8 },
 *       { metric = "passRate", tag = "safety", per = "case", min = 0.9 },
 *       { metric = "costOfPass", max = 0.2 },
 *     ]
 */
import { z } from 'zod'
import { boundFault } from '../../report/index.ts'
import { BOUND_METRICS } from '../../report/gates/names.ts'
import { isCompared, type Gate } from '../gates.ts'

const name = z.string().min(1).optional()

const gateSchema = z
  .strictObject({
    metric: z.enum(BOUND_METRICS).describe('What is looked at.'),
    suite: name.describe('Of which suite; of each unless given.'),
    subject: name.describe('Whose; every subject’s unless given.'),
    tag: name.describe('Only cases with this tag.'),
    case: name.describe('Only this case.'),
    per: z.enum(['case', 'tag']).optional().describe('One decision for each case, or each tag.'),
    k: z.int().min(1).optional().describe('The k of passAtK and passHatK; the largest of the run.'),
    target: z
      .enum(['fixed', 'population'])
      .optional()
      .describe('fixed: exactly these cases; population: cases like these.'),
    margin: z
      .number()
      .min(0)
      .max(10)
      .optional()
      .describe('The most it may get worse: points, or a share for costOfPass and latency.'),
    min: z.number().optional().describe('The least it may be in the current run.'),
    max: z.number().optional().describe('The most it may be in the current run.'),
  })
  .superRefine(({ metric, margin, min, max, k, ...scope }, context) => {
    const refuse = (message: string, ...path: string[]): void =>
      context.addIssue({ code: 'custom', message, path })
    if ([margin, min, max].filter((one) => one !== undefined).length > 1)
      refuse('at most one of margin, min and max')
    if (k !== undefined && metric !== 'passAtK' && metric !== 'passHatK')
      refuse(`${metric} has no k: it is for passAtK and passHatK`, 'k')
    const bound = min ?? max
    if (bound !== undefined) {
      const fault = boundFault(metric, bound)
      if (fault !== null) refuse(fault, min === undefined ? 'max' : 'min')
      return
    }
    if (!isCompared(metric)) refuse(`${metric} needs min or max`, 'metric')
    for (const key of ['suite', 'tag', 'case', 'per', 'target'] as const)
      if (scope[key] !== undefined) refuse(`${key} is for gates with min or max`, key)
    if (k !== undefined) refuse('k is for gates with min or max', 'k')
  })

export const gatesSchema = z.strictObject({
  gates: z.array(gateSchema).min(1).describe('Each of them must hold.'),
})

/** Reads the gates in a file. Throws `SuiteError` with all errors in the file. */
export async function readGates(file: string): Promise<readonly Gate[]> {
  // This module is loaded only when it is needed, because most comparisons have no gates file.
  const { check, readDocument, readText, takeNotes } = await import('../../documents/index.ts')
  const document = readDocument(file, await readText(file), 'toml')
  const notes = takeNotes(document)
  const checked = check(gatesSchema, document.value, notes)
  notes.done()
  return (checked?.gates ?? []).map(
    ({
      metric,
      subject = null,
      margin = null,
      min,
      max,
      suite,
      tag,
      case: one,
      per,
      k,
      target,
    }) => {
      const bound = min ?? max
      if (bound === undefined) return { metric, subject, rule: { kind: 'change', margin } }
      return {
        metric,
        subject,
        rule: { kind: min === undefined ? 'max' : 'min', bound },
        scope: {
          suite: suite ?? null,
          tag: tag ?? null,
          case: one ?? null,
          per: per ?? null,
          k: k ?? null,
          target: target ?? null,
        },
      }
    },
  )
}
