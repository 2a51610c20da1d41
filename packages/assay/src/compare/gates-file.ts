/**
 * A file of gates, in TOML:
 *
 *     gates = [
 *       { metric = "meanScore", margin = 0.03 },
 *       { metric = "passRate", subject = "careful", min = 0.8 },
 *       { metric = "costOfPass", margin = 0.2 },
 *     ]
 */
import { z } from 'zod'
import type { Gate } from './gates.ts'
import { METRICS } from './names.ts'

const gateSchema = z
  .strictObject({
    metric: z.enum(METRICS).describe('What is looked at.'),
    subject: z.string().min(1).optional().describe('Whose; every subject’s unless given.'),
    margin: z
      .number()
      .min(0)
      .max(10)
      .optional()
      .describe('The most it may get worse: points, or a share for costOfPass and latency.'),
    min: z.number().optional().describe('The least it may be in the current run.'),
    max: z.number().optional().describe('The most it may be in the current run.'),
  })
  .refine(
    ({ margin, min, max }) => [margin, min, max].filter((one) => one !== undefined).length <= 1,
    'at most one of margin, min and max',
  )

const gatesSchema = z.strictObject({ gates: z.array(gateSchema).min(1) })

/** Reads the gates in a file. Throws `SuiteError` with all errors in it. */
export async function readGates(file: string): Promise<readonly Gate[]> {
  // Loaded on demand, because most comparisons have no gates file.
  const { check, readDocument, readText, takeNotes } = await import('../documents/index.ts')
  const document = readDocument(file, await readText(file), 'toml')
  const notes = takeNotes(document)
  const checked = check(gatesSchema, document.value, notes)
  notes.done()
  return (checked?.gates ?? []).map(({ metric, subject = null, margin = null, min, max }) => ({
    metric,
    subject,
    rule:
      min !== undefined
        ? { kind: 'min', bound: min }
        : max !== undefined
          ? { kind: 'max', bound: max }
          : { kind: 'change', margin },
  }))
}
