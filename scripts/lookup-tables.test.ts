/** The tables in docs/reference/formulas.md have the values of exact rational arithmetic, which shares no code with the library. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lookupTables } from './lookup-tables.ts'

const page = readFileSync(new URL('../docs/reference/formulas.md', import.meta.url), 'utf8')

const choose = (n: number, k: number): bigint => {
  let [top, bottom] = [1n, 1n]
  for (let i = 0; i < k; i++) {
    top *= BigInt(n - i)
    bottom *= BigInt(i + 1)
  }
  return top / bottom
}

/** Four decimals of a fraction, rounded half up. */
function decimals(top: bigint, bottom: bigint): string {
  if (top === 0n) return '0'
  if (top === bottom) return '1'
  const scaled = (top * 20_000n + bottom) / (2n * bottom)
  if (scaled === 0n) return '< 0.0001'
  if (scaled === 10_000n) return '> 0.9999'
  return `0.${String(scaled).padStart(4, '0')}`
}

/** The cells of the table below a heading, by row and column. */
function tableBelow(heading: string): Map<string, string> {
  const from = page.indexOf(`### ${heading}\n`)
  expect(from, heading).toBeGreaterThan(0)
  const lines = page.slice(from).split('\n')
  const start = lines.findIndex((line) => line.startsWith('|'))
  const rows = lines.slice(start, lines.indexOf('', start)).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const [head = [], , ...body] = rows
  return new Map(
    body.flatMap(([name = '', ...cells]) =>
      cells.map((cell, i) => [`${name} ${head[i + 1] ?? ''}`, cell] as const),
    ),
  )
}

describe('the lookup tables', () => {
  it('are on the page as the library computes them', () => {
    expect(page).toContain(lookupTables())
  })

  it.each([5, 10])('of %d trials are C(n−c, k)/C(n, k) and C(c, k)/C(n, k)', (n) => {
    const any = tableBelow(`pass@k of ${n} trials`)
    const all = tableBelow(`pass^k of ${n} trials, unbiased`)
    expect(any.size).toBeGreaterThan(20)
    for (const place of any.keys()) {
      const [, c, k] = /^(\d+) of \d+ k = (\d+)$/.exec(place)?.map(Number) ?? []
      if (c === undefined || k === undefined) throw new Error(place)
      const ways = choose(n, k)
      expect(any.get(place), place).toBe(decimals(ways - (n - c < k ? 0n : choose(n - c, k)), ways))
      expect(all.get(place), place).toBe(decimals(c < k ? 0n : choose(c, k), ways))
    }
  })

  it('of p^k are exact powers', () => {
    const powers = tableBelow('pass^k = p^k')
    expect(powers.size).toBe(42)
    for (const [place, cell] of powers) {
      const [, percent, k] = /^(\d+) % k = (\d+)$/.exec(place)?.map(Number) ?? []
      if (percent === undefined || k === undefined) throw new Error(place)
      expect(cell, place).toBe(decimals(BigInt(percent) ** BigInt(k), 100n ** BigInt(k)))
    }
  })

  it('have the examples of the scoring document', () => {
    // passAtK(5, 3, 5) = 1.0; passToTheK(0.8, 5) = 0.328
    expect(tableBelow('pass@k of 5 trials').get('3 of 5 k = 5')).toBe('1')
    expect(tableBelow('pass^k = p^k').get('80 % k = 5')).toBe('0.3277')
  })
})
