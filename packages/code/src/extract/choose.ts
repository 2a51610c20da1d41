/**
 * Chooses the block of an answer that is the solution. The tests show which names the solution must define. The last
 * complete block that defines most of these names is chosen. Other blocks that define the missing names are added to
 * it. A block that only uses the solution is never preferred to a block that defines it.
 */
import type { Definition, Language } from '../language.ts'
import type { FencedBlock } from './fenced.ts'
import type { Needs } from './needs.ts'

interface Candidate {
  readonly block: FencedBlock
  readonly index: number
  readonly bare: string
  readonly definitions: readonly Definition[]
  readonly names: ReadonlySet<string>
  /**
   * `wanted`: how many of the names that the tests need are defined in the block. `mentioned`: how many names that
   * the block defines occur in the tests.
   */
  readonly wanted: number
  readonly mentioned: number
  readonly isComplete: boolean
}

/** Words after an opening fence that show that the block is not a program, such as `json` or `bash`. */
const NO_PROGRAM = new Set(
  'bash console shell sh zsh powershell shellsession text txt plaintext output json yaml yml toml ini diff patch html css xml md markdown mermaid sql dockerfile makefile'.split(
    ' ',
  ),
)

export function chooseCode(
  blocks: readonly FencedBlock[],
  needs: Needs,
  language: Language,
): string | null {
  const filled = blocks.filter(({ content }) => content.trim() !== '')
  const tagged = filled.filter((block) => language.fences.includes(block.language))
  const untagged = filled.filter((block) => block.language === '')
  const others = filled.filter(
    (block) =>
      block.language !== '' &&
      !language.fences.includes(block.language) &&
      !NO_PROGRAM.has(block.language),
  )
  const tiers = [tagged, untagged, others, filled.length === 1 ? filled : []]
    .filter((tier) => tier.length > 0)
    .map((tier) => tier.map((block) => candidateOf(block, blocks.indexOf(block), needs, language)))
  const defining = tiers.find((tier) => tier.some((one) => one.wanted + one.mentioned > 0))
  const tier = defining ?? tiers[0]
  if (tier === undefined) return null
  const chosen = best(tier)
  return joined(withParts(chosen, tier, needs, language), language)
}

function candidateOf(
  block: FencedBlock,
  index: number,
  needs: Needs,
  language: Language,
): Candidate {
  const { text: bare, isOpen } = language.source.bare(block.content)
  const definitions = language.source.defined(block.content)
  const names = new Set(definitions.map(({ name }) => name))
  return {
    block,
    index,
    bare,
    definitions,
    names,
    wanted: needs.wanted.filter((alternatives) => alternatives.some((name) => names.has(name)))
      .length,
    mentioned: [...names].filter((name) => needs.mentioned.has(name)).length,
    isComplete: !isOpen && isBalanced(bare) && !isSketch(block.content, bare),
  }
}

function best(tier: readonly Candidate[]): Candidate {
  const complete = tier.filter(
    ({ isComplete, wanted, mentioned }) => isComplete && wanted + mentioned > 0,
  )
  const pool = complete.length > 0 ? complete : tier
  const most = Math.max(...pool.map(({ wanted }) => wanted))
  const wanted = pool.filter((one) => one.wanted === most)
  const mentions = Math.max(...wanted.map(({ mentioned }) => mentioned))
  const last = most > 0 ? wanted.at(-1) : wanted.findLast(({ mentioned }) => mentioned === mentions)
  if (most + mentions > 0 && last !== undefined) return last
  // If the tests show no names, take the longest block that defines something.
  const defining = pool.filter(({ definitions }) =>
    definitions.some(({ kind }) => kind !== 'value'),
  )
  return (defining.length > 0 ? defining : pool).reduce((a, b) =>
    b.block.content.length > a.block.content.length ? b : a,
  )
}

// ── A solution in several blocks ─────────────────────────────────────────────────────────────────────

/** If an answer has more blocks than this, the blocks are probably drafts, so they are not joined. */
const MOST_PARTS = 100

/** Adds the blocks that define the names that the chosen block lacks, in the order of the answer. */
function withParts(
  chosen: Candidate,
  tier: readonly Candidate[],
  { wanted }: Needs,
  language: Language,
): readonly Candidate[] {
  const parts = [chosen]
  if (tier.length > MOST_PARTS) return parts
  const names = new Set(chosen.names)
  const { called, words } = usedIn(chosen.bare)
  const isWanted = new Set(wanted.flat())
  const isLacking = ({ name, kind }: Definition): boolean => {
    if (isWanted.has(name) && kind !== 'value') return true
    if (kind === 'function') return called.has(name)
    return words.has(name) && (kind === 'type' || /^[A-Z][A-Z\d_]+$/.test(name))
  }
  const isPart = (other: Candidate): boolean => {
    if (parts.includes(other) || !other.isComplete) return false
    if (other.definitions.some(({ name }) => names.has(name))) return false
    const brings =
      other.definitions.some(isLacking) ||
      language.source.extended(other.block.content).some((name) => names.has(name))
    return brings && !isExample(other, names)
  }
  for (let found = tier.find(isPart); found !== undefined; found = tier.find(isPart)) {
    parts.push(found)
    for (const name of found.names) names.add(name)
    const used = usedIn(found.bare)
    for (const name of used.called) called.add(name)
    for (const name of used.words) words.add(name)
  }
  return parts.toSorted((a, b) => a.index - b.index)
}

const WORD = /(\.?)([\p{L}_$][\p{L}\p{N}_$]*)([ \t]*[(<])?/gu

function usedIn(bare: string): { called: Set<string>; words: Set<string> } {
  const called = new Set<string>()
  const words = new Set<string>()
  for (const [, dot, name = '', call] of bare.matchAll(WORD)) {
    if (dot !== '') continue
    words.add(name)
    if (call !== undefined) called.add(name)
  }
  return { called, words }
}

/** True for a block that only demonstrates the solution: it calls the solution at top level or has a main function. */
const isExample = ({ names, bare }: Candidate, solution: ReadonlySet<string>): boolean =>
  names.has('main') ||
  bare
    .split('\n')
    .filter((line) => /^[\p{L}_$]/u.test(line) && !DEFINES.test(line))
    .some((line) => [...usedIn(line).called].some((name) => solution.has(name)))

const DEFINES =
  /^(?:export|default|declare|abstract|pub|async|def|function|fn|class|interface|type|enum|struct|trait|impl|from|import|use)\b/

/** Joins the blocks into one source. Each import line is kept only once. */
function joined(parts: readonly Candidate[], language: Language): string {
  const [first] = parts
  if (parts.length === 1) return first?.block.content ?? ''
  const seen = new Set<string>()
  return parts
    .map(({ block }) =>
      block.content
        .split('\n')
        .filter((line) => {
          if (!language.source.isImport(line)) return true
          const isNew = !seen.has(line.trim())
          seen.add(line.trim())
          return isNew
        })
        .join('\n'),
    )
    .join('\n\n')
}

// ── Whether a block is complete ──────────────────────────────────────────────────────────────────────

const OPEN = '([{'
const CLOSE = ')]}'

function isBalanced(bare: string): boolean {
  const open: string[] = []
  for (const char of bare) {
    if (OPEN.includes(char)) open.push(char)
    else if (CLOSE.includes(char) && open.pop() !== OPEN[CLOSE.indexOf(char)]) return false
  }
  return open.length === 0
}

/**
 * Matches marks for code that the model left out, such as a comment with three dots (`LEFT_OUT`), or has not written
 * (`UNWRITTEN`).
 */
const LEFT_OUT = /^[ \t]*(?:\/\/|#|\/\*)[ \t]*(?:\.\.\.|…)|^[ \t]*(?:\.\.\.|…)[ \t]*$/m
const UNWRITTEN =
  /\b(?:todo|unimplemented)!\s*\(|^[ \t]*(?:async[ \t]+)?def\b[^\n]*:[ \t]*(?:\n(?:[ \t]*''[ \t]*\n)?[ \t]+)?(?:\.\.\.|pass)[ \t]*$/m

const isSketch = (content: string, bare: string): boolean =>
  LEFT_OUT.test(content) || UNWRITTEN.test(bare)
