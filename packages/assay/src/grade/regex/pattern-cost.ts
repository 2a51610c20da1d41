/**
 * Estimates how long a regular expression can take at worst. JavaScript's matcher backtracks: `(a+)+$` needs 2^n
 * steps on n letters, and nothing can interrupt it on its thread. Patterns that provably need few steps for a text of
 * the given length run on the main thread. All others run on a thread that can be ended.
 *
 * The bound follows the search tree. A character is one step; then comes the rest of the pattern. An alternation may
 * try the rest after each branch, a repetition after each number of rounds. If the repeated part can match in only
 * one way, only the number of rounds varies. A repetition over choices has no useful bound, and neither does syntax
 * that is unknown here (look-around, back-references, …).
 *
 * What it saves: a run with only simple patterns starts no thread. A thread costs 45 ms of CPU and 16 MB for the
 * first answer, and 100 ms and 28 MB for a hundred answers at once; on the main thread they take 2 ms. 10,000 answers
 * take 20 ms instead of 300. No library gives a bound by the length of the text: safe-regex2 only looks for nested
 * repetitions, and recheck (35 MB with its program) only says whether time is polynomial.
 */

/** Returns the steps at worst for a text of that many UTF-16 units. Infinite if no bound is known. */
export type Bound = (length: number) => number

export function stepBound(pattern: string, flags: string): Bound {
  const root = parse(pattern, flags)
  if (root === null) return () => Number.POSITIVE_INFINITY
  const anchored = !flags.includes('m') && startsAtStart(root)
  return (length) => {
    const once = steps(root, 1, length)
    return anchored ? once + length : once * (length + 1)
  }
}

// ── The tree ─────────────────────────────────────────────────────────────────────────────────────────

/**
 * A node of the pattern's tree. `one` is a character or an assertion; `start` matches only at the start of the text.
 * `width` is the number of steps if the node can match in only one way, or null if it contains choices.
 */
type Node =
  | { readonly type: 'one' | 'start'; readonly width: 1 }
  | {
      readonly type: 'sequence' | 'choice'
      readonly width: number | null
      readonly parts: readonly Node[]
    }
  | {
      readonly type: 'repeat'
      readonly width: null
      readonly part: Node
      readonly least: number
      readonly most: number
    }

const ONE: Node = { type: 'one', width: 1 }
const START: Node = { type: 'start', width: 1 }

function sequenceOf(parts: readonly Node[]): Node {
  let width: number | null = 0
  for (const part of parts)
    width = width === null || part.width === null ? null : width + part.width
  return { type: 'sequence', width, parts }
}

/** A repetition over choices is followed round by round up to this many rounds. */
const MOST_UNROLLED = 8

/**
 * Returns the steps to match the node plus, for each way in which it can match, `rest` steps. Inside an `unrolled`
 * repetition no other one is unrolled: computing the bound itself has to be quick.
 */
function steps(node: Node, rest: number, length: number, unrolled = false): number {
  if (node.type === 'sequence')
    return node.parts.reduceRight((after, part) => steps(part, after, length, unrolled), rest)
  if (node.type === 'choice')
    return node.parts.reduce((sum, part) => sum + 1 + steps(part, rest, length, unrolled), 0)
  if (node.type !== 'repeat') return 1 + rest

  const { part, least, most } = node
  // An empty round ends the repetition, unless it is one of the required rounds. One more round is tried than can
  // match.
  const rounds = Math.max(least, Math.min(most, length))
  if (part.width !== null) return (rounds + 1) * (part.width + 1) + (rounds - least + 1) * rest
  if (most > (unrolled ? 1 : MOST_UNROLLED)) return Number.POSITIVE_INFINITY
  let after = rest
  for (let round = 0; round < most; round++)
    after = rest + steps(part, after, length, unrolled || most > 1)
  return after
}

function startsAtStart(node: Node): boolean {
  if (node.type === 'sequence') return node.parts[0] !== undefined && startsAtStart(node.parts[0])
  if (node.type === 'choice') return node.parts.every(startsAtStart)
  return node.type === 'start'
}

// ── The syntax ───────────────────────────────────────────────────────────────────────────────────────

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y
const EVER = [0, Number.POSITIVE_INFINITY] as const
const ROUNDS: Readonly<Record<string, readonly [number, number]>> = {
  '*': EVER,
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
}
/** Escapes of one character or an assertion. `\x41` is read as x, 4, 1: this gives more steps, never fewer. */
const ESCAPE = /\\(?:[dDwWsSbBtnrvfxu]|[^A-Za-z0-9])/y
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y
const GROUP = /\((?:\?:|\?<[A-Za-z_]\w*>|(?!\?))/y
const MOST_DEEP = 50
const LONGEST = 2000

/** Returns the pattern as a tree, or null if it contains unknown syntax. */
function parse(pattern: string, flags: string): Node | null {
  // With the flag `v`, classes can nest.
  if (pattern.length > LONGEST || flags.includes('v')) return null
  let at = 0

  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at
    const match = token.exec(pattern)
    if (match !== null) at = token.lastIndex
    return match
  }

  function choice(depth: number): Node | null {
    if (depth > MOST_DEEP) return null
    const parts: Node[] = []
    do {
      const part = sequence(depth)
      if (part === null) return null
      parts.push(part)
    } while (pattern[at] === '|' && ++at)
    return parts.length === 1 ? (parts[0] ?? null) : { type: 'choice', width: null, parts }
  }

  function sequence(depth: number): Node | null {
    const parts: Node[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      const part = atom(depth)
      const repeated = part === null ? null : quantified(part)
      if (repeated === null) return null
      parts.push(repeated)
    }
    return sequenceOf(parts)
  }

  function atom(depth: number): Node | null {
    switch (pattern[at]) {
      case '(': {
        if (take(GROUP) === null) return null
        const inside = choice(depth + 1)
        return inside !== null && pattern[at++] === ')' ? inside : null
      }
      case '[':
        return take(CLASS) === null ? null : ONE
      case '\\':
        return take(ESCAPE) === null ? null : ONE
      case '^':
        at++
        return START
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        return null
      default:
        at++
        return ONE
    }
  }

  function quantified(part: Node): Node | null {
    const match = take(QUANTIFIER)
    if (match === null) return part
    const [token, low, comma, high] = match
    const [least, most] =
      low === undefined
        ? (ROUNDS[token.charAt(0)] ?? EVER)
        : [
            Number(low),
            comma === undefined ? Number(low) : Number(high || Number.POSITIVE_INFINITY),
          ]
    return { type: 'repeat', width: null, part, least, most }
  }

  const root = choice(0)
  return root !== null && at === pattern.length ? root : null
}
