/**
 * Applies the transform of a grader, which selects the part of the answer that is graded. If an answer has no such
 * part, nothing can be compared. The grade then fails, even with `negate`.
 */
import { plain, type Json, type Transform } from '@assay/contract'
import { readJson } from './text/read-json.ts'
import { shownJson, valueAt } from './json-value.ts'
import { oneDeadline, searchGroup, shownPattern } from './regex/pattern.ts'
import type { GraderContext, GraderOutput } from './grader.ts'
import { around } from './shown.ts'

type Deadline = Pick<GraderContext, 'signal' | 'timeoutMs'>

/** The selected part of the answer, or the output for an answer that lacks this part. */
export type Transformed = { readonly text: string } | { readonly failed: GraderOutput }

export async function transformed(
  answer: string,
  steps: readonly Transform[],
  deadline: Deadline,
): Promise<Transformed> {
  const left = oneDeadline(deadline)
  let text = answer
  for (const step of steps) {
    const found = 'path' in step ? atPath(text, step.path) : await matched(text, step, left())
    if ('why' in found)
      return {
        failed: {
          score: 0,
          passed: false,
          final: true,
          reason: `the transform finds nothing: ${found.why}`,
          evidence: around(text, 0),
        },
      }
    ;({ text } = found)
  }
  return { text }
}

type Found = { readonly text: string } | { readonly why: string }

function atPath(answer: string, path: string): Found {
  const read = readJson(answer)
  if ('why' in read) return { why: `the answer ${read.why}` }
  const value: Json | undefined = valueAt(read.value, path)
  if (value === undefined)
    return { why: `nothing at ${plain(path)} of ${plain(shownJson(read.value))}` }
  return { text: typeof value === 'string' ? value : JSON.stringify(value) }
}

async function matched(
  text: string,
  step: Extract<Transform, { pattern: string }>,
  deadline: Deadline,
): Promise<Found> {
  const match = await searchGroup(text, step, deadline)
  if (match === null) return { why: `no match of ${shownPattern(step)}` }
  return { text: text.slice(match.index, match.index + match.length) }
}
