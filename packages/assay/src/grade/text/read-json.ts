import { fencedBlocks } from '@assay/code'
import { type Json, plain } from '@assay/contract'
import { shortened } from '../shown.ts'

/** Returns the JSON of an answer: the whole answer, or the content of its only fenced block. */
export function readJson(answer: string): { text: string; value: Json } | { why: string } {
  const whole = parse(answer)
  if (!('why' in whole)) return whole
  const blocks = fencedBlocks(answer)
  const [only] = blocks
  if (only === undefined) return { why: `is not JSON: ${whole.why}` }
  if (blocks.length > 1)
    return { why: `is not JSON, and has ${blocks.length} fenced blocks where one was expected` }
  const inside = parse(only.content)
  return 'why' in inside ? { why: `its fenced block is not JSON: ${inside.why}` } : inside
}

function parse(text: string): { text: string; value: Json } | { why: string } {
  // Ignore a byte order mark at the start.
  const stripped = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    return { text: stripped, value: JSON.parse(stripped) as Json }
  } catch (error) {
    return { why: plain(shortened(error instanceof Error ? error.message : String(error), 120)) }
  }
}
