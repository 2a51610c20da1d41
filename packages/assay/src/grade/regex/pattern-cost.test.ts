import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stepBound } from './pattern-cost.ts'

const at100 = (pattern: string, flags = ''): number => stepBound(pattern, flags)(100)

describe('stepBound', () => {
  it.each([
    '(a+)+$',
    '(a|a)*b',
    '(a|ab)*c',
    '(?:a?)+b',
    '(\\w+\\s?)*$',
    '(x+x+)+y',
    '((a*))*b',
    '(?:(?:a|b){2,8}){2,8}c',
    '(.*)\\1',
    '(?<q>["\']).*?\\k<q>',
    '(?=a+)b',
    '(?<!a)b',
    '(?i:a)',
    '\\p{L}+',
    'a{,3}',
  ])('gives no bound to %s', (pattern) => {
    expect(at100(pattern)).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives no bound in sets mode, where classes nest', () => {
    expect(at100('[[a-z]--[aeiou]]', 'v')).toBe(Number.POSITIVE_INFINITY)
  })

  it.each([
    ['42', 1000],
    ['\\b(?:yes|no)\\b', 2000],
    ['^\\s*yes\\s*$', 50_000],
    ['^(?:[A-D])$', 300],
    ['\\d+', 50_000],
    ['colou?r', 2000],
    ['(?:ab|cd){1,3}', 20_000],
  ])('knows that %s takes at most %i steps on 100 characters', (pattern, most) => {
    expect(at100(pattern)).toBeLessThanOrEqual(most)
    expect(at100(pattern)).toBeGreaterThan(0)
  })

  it('grows with each repetition that can share characters with the next', () => {
    const one = at100('a*b')
    const three = at100('a*a*a*b')
    expect(three / one).toBeGreaterThan(1000)
  })

  it('takes a start anchor into account only where it holds at the start alone', () => {
    expect(at100('^a*b')).toBeLessThan(at100('a*b') / 20)
    expect(at100('^a*b', 'm')).toBeGreaterThan(at100('a*b', 'm'))
    expect(at100('^a|b*c')).toBeGreaterThan(10_000)
  })

  it('never falls as the text grows, and is quick itself whatever the pattern', () => {
    const piece = fc.constantFrom(
      'a',
      '\\d',
      '[ab]',
      '(',
      '(?:',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2,8}',
      '^',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat(5000), (pieces, length) => {
        const bound = stepBound(pieces.join(''), '')
        expect(bound(length + 1)).toBeGreaterThanOrEqual(bound(length))
      }),
    )
    const nested = `${'('.repeat(45)}a|b${'){1,8}'.repeat(45)}`
    expect(at100(nested)).toBe(Number.POSITIVE_INFINITY)
  })

  /**
   * The test's matcher backtracks as the ECMAScript standard describes it. It supports the letters a and b,
   * alternatives and quantifiers.
   */
  it('is not exceeded by a matcher that backtracks and counts', () => {
    fc.assert(
      fc.property(tree(), fc.stringMatching(/^[ab]{0,8}$/), (root, text) => {
        const bound = stepBound(written(root), '')(text.length)
        if (bound > 100_000) return
        let count = 0
        const search = (node: Tree, from: number, then: (at: number) => boolean): boolean => {
          if (typeof node === 'string') {
            count++
            return text[from] === node && then(from + 1)
          }
          if ('all' in node) {
            const step = (i: number, at: number): boolean => {
              const part = node.all[i]
              return part === undefined ? then(at) : search(part, at, (next) => step(i + 1, next))
            }
            return step(0, from)
          }
          if ('any' in node) return node.any.some((part) => search(part, from, then))
          const round = (done: number, at: number): boolean =>
            (done < node.most &&
              search(node.part, at, (next) => next > at && round(done + 1, next))) ||
            (done >= node.least && then(at))
          return round(0, from)
        }
        for (let start = 0; start <= text.length; start++)
          if (search(root, start, () => true)) break
        expect(count).toBeLessThanOrEqual(bound)
      }),
      { numRuns: 2000 },
    )
  })
})

type Tree =
  | 'a'
  | 'b'
  | { all: Tree[] }
  | { any: Tree[] }
  | { part: Tree; least: number; most: number }

const tree = (): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Tree>('a', 'b'),
      fc.record({ all: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) }),
      fc.record({ any: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
      fc.record({
        part: tie('tree'),
        least: fc.constantFrom(0, 1),
        most: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
      }),
    ),
  })).tree

function written(node: Tree): string {
  if (typeof node === 'string') return node
  if ('all' in node) return node.all.map(written).join('')
  if ('any' in node) return `(?:${node.any.map(written).join('|')})`
  const most = node.most === Number.POSITIVE_INFINITY ? '' : String(node.most)
  return `(?:${written(node.part)}){${node.least},${most}}`
}
