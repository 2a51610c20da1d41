/**
 * Reads a judge's reply. The reply is valid only if it contains every required mark, each within its range.
 * Missing or wrong marks are never guessed, clamped or filled in.
 */
import { z } from 'zod'
import { placeOnScale, type Criterion, type Mark } from './rubric.ts'
import { shortened } from '../shown.ts'

export interface Marked {
  readonly criterion: Criterion
  readonly mark: Mark
  /** The score in [0, 1]. Null if the criterion does not apply. */
  readonly score: number | null
  readonly reason: string
  /** How sure the judge says it is of this mark, in [0, 1]. Null if it does not say. */
  readonly confidence: number | null
}

/** What one run of a judge says about an answer, from a valid reply. */
export interface Opinion {
  readonly marks: readonly Marked[]
  readonly score: number
  /** How sure the judge says it is of its marks as a whole. Null if it does not say. */
  readonly confidence: number | null
  readonly strengths: readonly string[]
  readonly weaknesses: readonly string[]
}

export type ReadReply =
  | Opinion
  /** The reason why the reply is not a valid verdict. It quotes nothing from the reply except numbers. */
  | { readonly fault: string }

const replySchema = z.object({
  key: z.string(),
  criteria: z.array(
    z.object({
      id: z.string(),
      reason: z.string().optional(),
      mark: z.unknown(),
      confidence: z.unknown().optional(),
    }),
  ),
  confidence: z.unknown().optional(),
  strengths: z.unknown().optional(),
  weaknesses: z.unknown().optional(),
})

const textsSchema = z.array(z.string())
const MOST_TEXTS = 20

const MOST_REPLY = 1_000_000
const MOST_REASON = 500

/** Returns the marks in a reply for a rubric, or what is wrong with the reply. */
export function readReply(text: string, key: string, rubric: readonly Criterion[]): ReadReply {
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
    const sure = confidenceIn(entry.confidence)
    if ('fault' in sure) return { fault: `the confidence for ${criterion.id} ${sure.fault}` }
    const mark = entry.mark as Mark
    marks.push({
      criterion,
      mark,
      score: mark === null ? null : placeOnScale(criterion, mark),
      reason: shortened(entry.reason ?? '', MOST_REASON),
      confidence: sure.value,
    })
  }
  if (given.size > rubric.length) return { fault: 'it marked criteria that were not asked for' }
  const score = weighted(marks)
  if (score === null) return { fault: 'by it no criterion applies at all' }
  const whole = confidenceIn(parsed.data.confidence)
  if ('fault' in whole) return { fault: `its confidence as a whole ${whole.fault}` }
  const strengths = textsIn(parsed.data.strengths)
  if (strengths === null) return { fault: 'its strengths were not a list of texts' }
  const weaknesses = textsIn(parsed.data.weaknesses)
  if (weaknesses === null) return { fault: 'its weaknesses were not a list of texts' }
  return { marks, score, confidence: whole.value, strengths, weaknesses }
}

/** Reads a stated confidence. It may be absent, but a number out of range makes the reply invalid. */
function confidenceIn(
  given: unknown,
): { readonly value: number | null } | { readonly fault: string } {
  if (given === undefined || given === null) return { value: null }
  if (typeof given !== 'number') return { fault: 'was no number' }
  return given >= 0 && given <= 1 ? { value: given } : { fault: `was ${given}, not from 0 to 1` }
}

/** Returns the texts, without blank ones. Null if it is not a list of texts. */
function textsIn(given: unknown): string[] | null {
  if (given === undefined || given === null) return []
  const { data } = textsSchema.safeParse(given)
  if (data === undefined) return null
  const said = data.filter((text) => text.trim() !== '')
  const more = said.length - MOST_TEXTS
  const kept = said.slice(0, MOST_TEXTS).map((text) => shortened(text, MOST_REASON))
  return more > 0 ? [...kept, `and ${more} more`] : kept
}

/**
 * Parses the whole reply as JSON, with or without a code fence around it. It does not search for an object
 * inside other text.
 */
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
  // Because of rounding, the quotient may be slightly above 1.
  return total === 0 ? null : Math.min(1, Math.max(0, sum / total))
}
