import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import { chiSquareSf } from '../special/chi-square.ts'
import { nextWord, random, randomState, uniformInteger } from './random.ts'

type Name = readonly [seed: number, ...stream: number[]]

interface Vector {
  readonly name?: Name
  readonly state: readonly number[]
  readonly words: readonly number[]
  readonly units?: readonly number[]
}

/** The p-value of the chi-square test that all cells are equally likely. */
function evenness(counts: Float64Array): number {
  const expected = counts.reduce((a, b) => a + b) / counts.length
  const statistic = counts.reduce((sum, x) => sum + (x - expected) ** 2 / expected, 0)
  return chiSquareSf(statistic, counts.length - 1)
}

const bits = (state: Int32Array): readonly string[] =>
  Array.from(state, (w) => Array.from((w >>> 0).toString(2).padStart(32, '0'))).flat()

/** The expected state, from the published splitmix64 algorithm in 64-bit arithmetic. */
function stateOf(seed: number, stream: readonly number[]): number[] {
  const word = (z: bigint): bigint => BigInt.asUintN(64, z)
  const gamma = 0x9e3779b97f4a7c15n
  const mix = (z: bigint): bigint => {
    const a = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n)
    const b = word((a ^ (a >> 27n)) * 0x94d049bb133111ebn)
    return b ^ (b >> 31n)
  }
  let key = mix(BigInt(stream.length) + gamma)
  for (const part of [seed, ...stream]) key = mix(word((key ^ BigInt(part)) + gamma))
  const [first, second] = [mix(word(key + gamma)), mix(word(key + 2n * gamma))]
  return [first, first >> 32n, second, second >> 32n].map((w) => Number(BigInt.asIntN(32, w)))
}

describe('random', () => {
  it('has the state that 64-bit arithmetic gives, for any seed and stream', () => {
    const integer = fc.oneof(
      fc.nat(),
      fc.integer({ min: 0, max: 2 ** 32 }),
      fc.maxSafeInteger().map(Math.abs),
    )
    fc.assert(
      fc.property(integer, fc.array(integer, { maxLength: 6 }), (seed, stream) => {
        expect([...randomState(seed, ...stream)]).toEqual(stateOf(seed, stream))
      }),
      { numRuns: 2000 },
    )
  })

  it('agrees word for word with the published algorithms, and with their published outputs', () => {
    for (const { name, state, words, units } of golden<Vector>('random')) {
      const own = name === undefined ? Int32Array.from(state, (w) => w | 0) : randomState(...name)
      expect(Array.from(own, (w) => w >>> 0)).toEqual(state)
      expect(words.map(() => nextWord(own))).toEqual(words)
      if (name !== undefined && units !== undefined) {
        const draw = random(...name)
        expect(units.map(() => draw())).toEqual(units)
      }
    }
  })

  it('gives the same numbers for the same name and others for another', () => {
    const names: readonly Name[] = [
      [1],
      [2],
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 0, 0],
      [1, 0, 1],
      [1, 1, 0],
    ]
    const first = names.map((name) => random(...name)())
    expect(new Set(first).size).toBe(names.length)
    expect(names.map((name) => random(...name)())).toEqual(first)
  })

  it('stays in [0, 1)', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.array(fc.maxSafeNat(), { maxLength: 3 }), (seed, stream) => {
        const value = random(seed, ...stream)()
        return value >= 0 && value < 1
      }),
    )
  })

  it('spreads evenly within a stream, also in pairs', () => {
    const draw = random(11)
    const cells = new Float64Array(1024)
    for (let i = 0; i < 200_000; i++) {
      const cell = Math.floor(draw() * 32) * 32 + Math.floor(draw() * 32)
      cells[cell] = (cells[cell] ?? 0) + 1
    }
    expect(evenness(cells)).toBeGreaterThan(1e-3)
  })

  it.each([
    ['seed', (i: number) => random(i)],
    ['stream', (i: number) => random(5, i)],
    ['inner stream', (i: number) => random(5, i, 9)],
  ])('makes neighbours by %s independent: their first draws fill the square evenly', (_, named) => {
    const cells = new Float64Array(256)
    let before = named(0)()
    for (let i = 1; i <= 20_000; i++) {
      const next = named(i)()
      const cell = Math.floor(before * 16) * 16 + Math.floor(next * 16)
      cells[cell] = (cells[cell] ?? 0) + 1
      before = next
    }
    expect(evenness(cells)).toBeGreaterThan(1e-3)
  })

  it('changes about half of all bits when one bit of the seed or stream changes', () => {
    let changed = 0
    let pairs = 0
    for (let bit = 0; bit < 52; bit++)
      for (const [a, b] of [
        [randomState(77, 3), randomState(77 + 2 ** bit, 3)],
        [randomState(3, 77), randomState(3, 77 + 2 ** bit)],
      ] as const) {
        const other = bits(b)
        changed += bits(a).filter((digit, i) => digit !== other[i]).length
        pairs += 1
      }
    // There are 104 pairs of 128 bits. The standard error of the share of changed bits is 0.0043.
    expect(Math.abs(changed / (pairs * 128) - 0.5)).toBeLessThan(0.015)
  })

  it.each<[Name, string]>([
    [[-1], 'seed must be'],
    [[1.5], 'seed must be'],
    [[Number.NaN], 'seed must be'],
    [[1, -1], 'stream must be'],
    [[1, 0.5], 'stream must be'],
  ])('refuses the name %s', (name, message) => {
    expect(() => random(...name)).toThrow(RangeError)
    expect(() => random(...name)).toThrow(message)
  })
})

describe('uniformInteger', () => {
  it('gives each integer below n the same chance', () => {
    const draw = random(4)
    const counts = new Float64Array(6)
    for (let i = 0; i < 60_000; i++) {
      const k = uniformInteger(draw, 6)
      counts[k] = (counts[k] ?? 0) + 1
    }
    expect(evenness(counts)).toBeGreaterThan(1e-3)
  })

  it('has no bias where 2^53 is far from a multiple of n', () => {
    // Without redrawing, the first third of the range 3 · 2^51 would occur half the time.
    const draw = random(5)
    const counts = new Float64Array(3)
    for (let i = 0; i < 3000; i++) {
      const third = Math.floor(uniformInteger(draw, 3 * 2 ** 51) / 2 ** 51)
      counts[third] = (counts[third] ?? 0) + 1
    }
    expect(evenness(counts)).toBeGreaterThan(1e-3)
  })

  it('refuses an empty range', () => {
    expect(() => uniformInteger(random(1), 0)).toThrow('n must be')
  })
})
