/**
 * Reads a judge's reply. It is valid only if every mark asked for is there and in its range. Nothing is guessed,
 * clamped or filled in.
 */
import { z } from 'zod'
import { placeOnScale, type Criterion, type Mark } from './rubric.ts'
import { shortened } from '../shown.ts'

export interface Marked {
  readonly criterion: Criterion
  readonly mark: Mark
  /** In [0, 1]. Null if the criterion does not apply. */
  readonly score: number | null
  readonly reason: string
}

export type Opinion =
  | { readonly marks: readonly Marked[]; readonly score: number }
  /** Why the reply is not a verdict. The text contains nothing from the reply except numbers. */
  | { readonly fault: string }

const replySchema = z.object({
  key: z.string(),
  criteria: z.array(z.object({ id: z.string(), reason: z.string().optional(), mark: z.unknown() })),
})

const MOST_REPLY = 1_000_000
const MOST_REASON = 500

/** Returns the marks in a reply for a rubric, or what is wrong with the reply. */
export function readReply(text: string, key: string, rubric: readonly Criterion[]): Opinion {
  if (text.trim() === '') return { fault: 'it was empty' }
  const parsed = replySchema.safeParse(jsonOf(text))
  if (!parsed.success) return { fault: 'it was not the JSON object that was asked for' }
  if (parsed.data.key !== key) return { fault: 'its key was not the one that was given' }
  const given = new Map(parsed.data.criteria.map((entry) => [entry.id, entry]))
  if (given.size < parsed.data.criteria.length) return { fault: 'it marked a criterion twice' }
  const marks: Marked[] = []
  for (const criterion of rubric) {
    const entry = given.get(criterion.id)
    if (entry === undefined) return { fault: `there was no mark for ${criterion.id}` }
    const fault = faultOf(criterion, entry.mark)
    if (fault !== null) return { fault: `the mark for ${criterion.id} ${fault}` }
    const mark = entry.mark as Mark
    marks.push({
      criterion,
      mark,
      score: mark === null ? null : placeOnScale(criterion, mark),
      reason: shortened(entry.reason ?? '', MOST_REASON),
    })
  }
  if (given.size > rubric.length) return { fault: 'it marked criteria that were not asked for' }
  const score = weighted(marks)
  return score === null ? { fault: 'by it no criterion applies at all' } : { marks, score }
}

/** Parses the whole reply as JSON, bare or in one fence. It does not search for an object inside other text. */
function jsonOf(text: string): unknown {
  if (text.length > MOST_REPLY) return undefined
  const inside = /^\s*```(?:json)?\s*\n([^]*)\n\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    return JSON.parse(inside) as unknown
  } catch {
    return undefined
  }
}

function faultOf({ scale, mayNotApply }: Criterion, mark: unknown): string | null {
  if (mark === null) return mayNotApply ? null : 'was null, but it applies always'
  if (scale === null) return typeof mark === 'boolean' ? null : 'was neither true nor false'
  const [low, high] = scale
  if (typeof mark !== 'number' || !Number.isInteger(mark)) return 'was no whole number'
  return mark >= low && mark <= high ? null : `was ${mark}, not from ${low} to ${high}`
}

/** Returns the weighted mean of the marks. Null if no criterion applies. */
function weighted(marks: readonly Marked[]): number | null {
  let sum = 0
  let total = 0
  for (const { criterion, score } of marks) {
    if (score === null) continue
    sum += criterion.weight * score
    total += criterion.weight
  }
  // Because of rounding, the quotient may miss 1 by its last bit.
  return total === 0 ? null : Math.min(1, Math.max(0, sum / total))
}
