/**
 * Reproducible random numbers. `random(seed, ...stream)` returns a generator that depends only on the
 * run's seed and on integers that name its use (a purpose, a block of resamples). So work that is
 * split over several workers or done in another order draws the same numbers.
 *
 * The generator is xoshiro128** (Blackman and Vigna 2021). Its period is 2^128 − 1, and it needs only
 * 32-bit arithmetic, which is fast in JavaScript. splitmix64 fills its state from a 64-bit key. The
 * seed and the stream integers are mixed into the key one after the other with splitmix64's finaliser
 * (Stafford's mix 13, a bijection), so neighbouring seeds and streams give unrelated numbers. Two
 * different combinations of seed and stream share a key only with a probability of about 2^−64. The
 * two 64-bit words that fill the state are never both zero, which xoshiro128** requires.
 */
import { checkInteger } from '../domain.ts'

/**
 * A 64-bit word as two 32-bit halves. BigInt would be shorter, but it is too slow: each operation
 * creates an object, and a run creates a generator for every trial.
 */
interface Word64 {
  high: number
  low: number
}

/** The increment of splitmix64, 0x9e3779b97f4a7c15, in two halves. */
const GAMMA_HIGH = 0x9e37_79b9
const GAMMA_LOW = 0x7f4a_7c15

/** Returns the high 32 bits of the product of two 32-bit words. */
function highProduct(a: number, b: number): number {
  const [aHigh, aLow, bHigh, bLow] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff]
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const carried = aLow * bHigh + (middle & 0xffff)
  return aHigh * bHigh + Math.floor(middle / 0x1_0000) + Math.floor(carried / 0x1_0000)
}

function add(word: Word64, high: number, low: number): void {
  const sum = (word.low >>> 0) + (low >>> 0)
  word.high = (word.high + high + (sum > 0xffff_ffff ? 1 : 0)) | 0
  word.low = sum | 0
}

function multiply(word: Word64, high: number, low: number): void {
  const crossed = Math.imul(word.high, low) + Math.imul(word.low, high)
  word.high = (highProduct(word.low >>> 0, low >>> 0) + crossed) | 0
  word.low = Math.imul(word.low, low)
}

/** Replaces the word z by z ^ (z >> bits), for `bits` from 1 to 31. */
function xorShift(word: Word64, bits: number): void {
  word.low ^= (word.low >>> bits) | (word.high << (32 - bits))
  word.high ^= word.high >>> bits
}

/**
 * Scrambles the word with the finaliser of splitmix64, so that every input bit affects every output
 * bit.
 */
function mix64(word: Word64): void {
  xorShift(word, 30)
  multiply(word, 0xbf58_476d, 0x1ce4_e5b9)
  xorShift(word, 27)
  multiply(word, 0x94d0_49bb, 0x1331_11eb)
  xorShift(word, 31)
}

/** Mixes an integer into the key. */
function fold(key: Word64, part: number): void {
  checkInteger('stream', part, 0)
  key.high ^= Math.floor(part / 0x1_0000_0000)
  key.low ^= part >>> 0
  add(key, GAMMA_HIGH, GAMMA_LOW)
  mix64(key)
}

/**
 * The four 32-bit words of a generator. `nextWord` changes them in place, so two users of one state
 * would disturb each other.
 */
export type RandomState = Int32Array

/**
 * Returns the initial state of the generator for this seed and stream. Loops that must be fast use
 * it with `nextWord` instead of calling `random`.
 */
export function randomState(seed: number, ...stream: readonly number[]): RandomState {
  checkInteger('seed', seed, 0)
  // The stream's length is mixed in first, so that the streams (1) and (1, 0) never pass through the
  // same key.
  const key: Word64 = { high: 0, low: stream.length }
  add(key, GAMMA_HIGH, GAMMA_LOW)
  mix64(key)
  fold(key, seed)
  for (const part of stream) fold(key, part)
  const state = new Int32Array(4)
  for (let i = 0; i < 4; i += 2) {
    add(key, GAMMA_HIGH, GAMMA_LOW)
    const { high, low } = key
    mix64(key)
    state[i] = key.low
    state[i + 1] = key.high
    key.high = high
    key.low = low
  }
  return state
}

/** Returns the next 32 random bits as an unsigned integer, and changes the state. */
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
 * Returns a generator of numbers in [0, 1) with 53 random bits, for a seed and a stream of
 * integers.
 *
 * @example random(1)() === random(1)() // true: the same name gives the same numbers
 */
export function random(seed: number, ...stream: readonly number[]): Random {
  return unitDraws(randomState(seed, ...stream))
}

/** Returns a function that draws numbers in [0, 1) from the generator with this state. */
export function unitDraws(state: RandomState): Random {
  return () => ((nextWord(state) >>> 5) * TWO_26 + (nextWord(state) >>> 6)) / TWO_53
}

/**
 * Returns a random integer from 0 to n − 1, for n up to 2^53 − 1. It draws a 53-bit integer, and
 * draws again if the integer is not below the largest multiple of n in that range. So all results
 * are equally likely. With floor(n · u), where u is a number in [0, 1), some results would be
 * slightly more likely.
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
