/**
 * Random numbers that are a function of what they are for: `random(seed, ...stream)` names a
 * generator by the run's seed and any integers (a purpose, a block of resamples), so that work
 * split over other workers or done in another order draws the same numbers.
 *
 * The generator is xoshiro128** (Blackman and Vigna 2021): period 2^128 − 1, 32-bit arithmetic
 * only, which is what JavaScript does fast. Its state is filled by splitmix64 from a 64-bit key
 * into which seed and stream are folded one after the other with splitmix64's own finaliser
 * (Stafford's mix 13, a bijection), so that neighbouring seeds and streams share nothing. Distinct
 * names meet in one key only by a 64-bit coincidence, and the two words that fill the state are
 * never both zero.
 */
import { checkInteger } from '../domain.ts'

const GOLDEN_GAMMA = 0x9e3779b97f4a7c15n

const word64 = (z: bigint): bigint => BigInt.asUintN(64, z)

/** splitmix64's finaliser: every bit of the input reaches every bit of the output. */
function mix64(z: bigint): bigint {
  const a = word64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n)
  const b = word64((a ^ (a >> 27n)) * 0x94d049bb133111ebn)
  return b ^ (b >> 31n)
}

/**
 * The four 32-bit words of a generator. Whoever holds it owns it: `nextWord` changes it in place.
 */
export type RandomState = Int32Array

/**
 * The initial state of the generator named by seed and stream; for hot loops that call `nextWord`.
 */
export function randomState(seed: number, ...stream: readonly number[]): RandomState {
  checkInteger('seed', seed, 0)
  // The length goes in first, so that stream (1) is not a prefix of stream (1, 0).
  let key = mix64(BigInt(stream.length) + GOLDEN_GAMMA)
  for (const part of [seed, ...stream]) {
    checkInteger('stream', part, 0)
    key = mix64(word64((key ^ BigInt(part)) + GOLDEN_GAMMA))
  }
  const first = mix64(word64(key + GOLDEN_GAMMA))
  const second = mix64(word64(key + 2n * GOLDEN_GAMMA))
  return Int32Array.from([first, first >> 32n, second, second >> 32n], (w) =>
    Number(BigInt.asIntN(32, w)),
  )
}

/** The next 32 random bits, as an unsigned integer. */
export function nextWord(state: RandomState): number {
  const s1 = state[1] as number
  const scaled = Math.imul(s1, 5)
  const word = Math.imul((scaled << 7) | (scaled >>> 25), 9)
  const s2 = (state[2] as number) ^ (state[0] as number)
  const s3 = (state[3] as number) ^ s1
  state[1] = s1 ^ s2
  state[0] = (state[0] as number) ^ s3
  state[2] = s2 ^ (s1 << 9)
  state[3] = (s3 << 11) | (s3 >>> 21)
  return word >>> 0
}

/** A source of numbers in [0, 1). */
export type Random = () => number

const TWO_26 = 2 ** 26
const TWO_53 = 2 ** 53

/**
 * A generator of numbers in [0, 1), all 53 bits random, named by a seed and a stream of integers.
 *
 * @example random(1)() === random(1)() // true: the same name gives the same numbers
 */
export function random(seed: number, ...stream: readonly number[]): Random {
  return unitDraws(randomState(seed, ...stream))
}

/** Numbers in [0, 1) from the generator that the state holds. */
export function unitDraws(state: RandomState): Random {
  return () => ((nextWord(state) >>> 5) * TWO_26 + (nextWord(state) >>> 6)) / TWO_53
}

/**
 * A uniform integer in [0, n), for n up to 2^53 − 1. Draws beyond the last whole multiple of n are
 * drawn again, so that no value is favoured, as `floor(n · u)` favours some.
 *
 * @example uniformInteger(random(1), 1) // 0
 */
export function uniformInteger(draw: Random, n: number): number {
  checkInteger('n', n, 1)
  const limit = TWO_53 - (TWO_53 % n)
  for (;;) {
    const integer = draw() * TWO_53
    if (integer < limit) return integer % n
  }
}
