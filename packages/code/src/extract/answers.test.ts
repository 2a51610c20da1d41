/**
 * Three hundred answers, each with a known correct block. Half have the shapes in which models write answers. The other
 * half is composed at random from blocks, prose, names, order and fences.
 */
import { describe, expect, it } from 'vitest'
import { fakeCase } from '../../../assay/test/fakes.ts'
import { MATERIAL, SHAPES, type Material } from '../../test/answer-shapes.ts'
import { languageByName } from '../languages.ts'
import { extractCode } from './extract.ts'

function taken(
  answer: string,
  of: Material,
  index: number,
): string | Readonly<Record<string, string>> | null {
  const given = of.cases[index % of.cases.length]
  const one = fakeCase('word-count', { language: of.language, ...given })
  const language = languageByName(of.language)
  if (language === undefined) throw new Error(of.language)
  const found = extractCode(answer, {}, one, language)
  if (found === null) return null
  return Object.keys(found.files).length === 1 ? (found.files[found.main] ?? null) : found.files
}

const plain = (code: ReturnType<typeof taken>): unknown =>
  typeof code === 'string' ? code.trim() : code

describe.each(MATERIAL.map((of) => [of.language, of] as const))('%s', (_, of) => {
  it.each(SHAPES.map((shape, index) => [shape.name, shape, index] as const))(
    'takes the right block: %s',
    (__, shape, index) => {
      const expected = shape.takes?.(of) ?? of.right
      expect(plain(taken(shape.answer(of), of, index))).toEqual(expected)
    },
  )
})

// ── Composed answers ─────────────────────────────────────────────────────────────────────────────────

/** A small seeded generator of random numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const PROSE = [
  'Here is what I came up with.',
  '## Approach\n\nWe split the text and count the words.',
  '1. Split\n2. Count\n3. Return',
  '> Note: empty text has no words.',
  'The function runs in `O(n)`; see `count` above.',
  '',
]

interface Composed {
  readonly answer: string
  readonly expected: string
}

function compose(seed: number, of: Material): Composed {
  const draw = numbers(seed)
  const pick = <T>(list: readonly T[]): T => {
    const one = list[draw(list.length)]
    if (one === undefined) throw new Error('nothing to pick')
    return one
  }
  const isParted = draw(4) === 0
  const right = isParted ? [...of.parts] : [of.right]
  // Drafts may only come before the correct code. Usage examples may come anywhere.
  const before = Array.from({ length: draw(3) }, () =>
    pick(isParted ? [of.usage, of.example] : [of.usage, of.example, of.draft, of.sketch]),
  )
  const after = Array.from({ length: draw(3) }, () => pick([of.usage, of.example]))
  const codes = [...before, ...right, ...after]
  const hasLists = draw(3) === 0
  const parts = codes.flatMap((code, index) => {
    const fence = pick(['```', '````', '~~~', '~~~~'])
    const info = pick([of.fence, of.fence, `${of.fence} title="x"`, of.fence.toUpperCase()])
    const block = `${fence}${info}\n${code}\n${fence}`
    const isListed = hasLists && draw(2) === 0
    const shown = isListed ? `- step ${index}\n\n${block.replaceAll(/^(?=.)/gm, '  ')}` : block
    return [pick(PROSE), shown]
  })
  const end = pick(['', pick(PROSE)])
  const answer = [...parts, end].join('\n\n')
  const eol = draw(4) === 0 ? '\r\n' : '\n'
  const bom = draw(5) === 0 ? '\uFEFF' : ''
  return { answer: bom + answer.replaceAll('\n', eol), expected: right.join('\n\n') }
}

describe('answers composed by a generator', () => {
  it.each(Array.from({ length: 150 }, (_, seed) => seed))('take the right block: %i', (seed) => {
    const of = MATERIAL[seed % MATERIAL.length]
    if (of === undefined) throw new Error('no material')
    const { answer, expected } = compose(seed + 1, of)
    expect(plain(taken(answer, of, seed))).toBe(expected)
  })
})
