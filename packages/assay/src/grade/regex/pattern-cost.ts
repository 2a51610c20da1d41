/**
 * Estimates how long a regular expression can take at worst. JavaScript's matcher backtracks: `(a+)+$` needs 2^n
 * steps on n letters, and nothing can interrupt a match on the thread that runs it. Patterns that provably need
 * few steps for a text of the given length run on the main thread. All other patterns run on a worker thread
 * that can be terminated.
 *
 * The bound is the size of the matcher's search tree. Matching a character is one step, after which the rest of
 * the pattern is tried. An alternation may try the rest after each of its branches. A repetition may try the
 * rest after each number of rounds. If the repeated part can match in only one way, only the number of rounds
 * varies, and the bound is small. There is no useful bound for a repeated part that contains choices, and none
 * for syntax that this file does not parse (look-around, back-references, …).
 *
 * The benefit: a run with only simple patterns starts no worker thread. A thread costs 45 ms of CPU and 16 MB
 * for the first answer, and 100 ms and 28 MB for a hundred answers at once. On the main thread, a hundred
 * answers take 2 ms. 10,000 answers take 20 ms instead of 300. No library gives a bound by the length of the
 * text: safe-regex2 only looks for nested repetitions, and recheck (35 MB with its binary) only says whether the
 * time is polynomial.
 */

/**
 * Returns the highest possible number of steps for a text with `length` UTF-16 code units. Infinite if no bound
 * is known.
 */
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
 * A node of the pattern's syntax tree. Types: `one` is one character or assertion, and `start` matches only at the
 * start of the text. The field `width` is the number of steps that the matcher takes if the node can match in only one
 * way, or null if the node contains choices.
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

/**
 * The limit on the rounds of a repeated part that contains choices. These rounds are counted one by one. If more
 * rounds are possible, the bound is infinite.
 */
const MOST_UNROLLED = 8

/**
 * Returns the highest number of steps for matching the node and then the rest of the pattern. The matcher may try the
 * rest once for each way in which the node matches, and each try takes `rest` steps. Repetitions inside an unrolled
 * repetition (`unrolled`) are not unrolled too, because computing the bound could then take long itself.
 */
function steps(node: Node, rest: number, length: number, unrolled = false): number {
  if (node.type === 'sequence')
    return node.parts.reduceRight((after, part) => steps(part, after, length, unrolled), rest)
  if (node.type === 'choice')
    return node.parts.reduce((sum, part) => sum + 1 + steps(part, rest, length, unrolled), 0)
  if (node.type !== 'repeat') return 1 + rest

  const { part, least, most } = node
  // The matcher stops after a round that matches nothing, unless the round is required. So there are at most as many
  // rounds as characters in the text. The matcher also tries one round more than can match.
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
/**
 * Escapes that match one character or are an assertion. `\x41` is counted as three characters (x, 4, 1), so the
 * bound is too high but never too low.
 */
const ESCAPE = /\\(?:[dDwWsSbBtnrvfxu]|[^A-Za-z0-9])/y
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y
const GROUP = /\((?:\?:|\?<[A-Za-z_]\w*>|(?!\?))/y
const MOST_DEEP = 50
const LONGEST = 2000

/** Returns the pattern as a tree, or null if it contains syntax that this parser does not know. */
function parse(pattern: string, flags: string): Node | null {
  // The flag `v` is not supported, because character classes can then be nested.
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
