/** Parsers for flag values, shared by all commands. */
import { InvalidArgumentError } from 'commander'
import type { Shard } from '../../log/index.ts'

export const list = (value: string, before: readonly string[] = []): string[] => [...before, value]

export const names = (value: string): string[] =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

export function integers(value: string): number[] {
  const numbers = [...new Set(value.split(',').map(Number))].sort((a, b) => a - b)
  if (numbers.some((n) => !Number.isSafeInteger(n) || n < 1 || n > MOST))
    throw new InvalidArgumentError('Expected whole numbers from 1 on, such as 1,5.')
  return numbers
}

/**
 * The highest number that a flag accepts. A larger number is certainly a typing mistake, and its plan would only
 * fill the memory.
 */
const MOST = 1_000_000

export const whole =
  (least: number, most: number = MOST) =>
  (value: string): number => {
    const parsed = number(value)
    if (!Number.isSafeInteger(parsed) || parsed < least || parsed > most)
      throw new InvalidArgumentError(
        `Expected a whole number from ${least}${most === MOST ? ` to ${MOST}` : ' on'}.`,
      )
    return parsed
  }

export function number(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !Number.isFinite(parsed))
    throw new InvalidArgumentError('Expected a number.')
  return parsed
}

/** Parses one part of a plan, such as `3/8` (the third of eight parts). */
export function shard(value: string): Shard {
  const [, index, of] = (/^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(value) ?? []).map(Number)
  if (index === undefined || of === undefined || index < 1 || index > of || of > MOST)
    throw new InvalidArgumentError('Expected a part and the number of parts, such as 3/8.')
  return { index, of }
}
