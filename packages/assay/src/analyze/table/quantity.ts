/**
 * Reads numbers that are written with a unit, as people and spreadsheets write them: `$0.01`, `95 %`, `1.2s`, `350 ms`,
 * `1m 3s`, `0:01:23`. The unit is in the cell, so the value does not depend on the column's unit.
 */
import { NOT_A_NUMBER, numberOf } from './csv-field.ts'
import type { NumberName } from './result-table.ts'

export type UnitKind = 'rate' | 'usd' | 'time' | 'none'

const KINDS: Partial<Record<NumberName, UnitKind>> = {
  score: 'rate',
  implRate: 'rate',
  answerUsd: 'usd',
  judgeUsd: 'usd',
  answerMs: 'time',
  waitMs: 'time',
  gradeMs: 'time',
}

export const unitKind = (name: NumberName): UnitKind => KINDS[name] ?? 'none'

/** The number of milliseconds in each unit of time. */
const MS: Readonly<Record<string, number>> = {
  ms: 1,
  msec: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
}

/** The maximum length of a number with a unit. A longer text is not parsed. */
const LONGEST = 40

/**
 * Returns the value in the unit of result tables: a percentage becomes a share (95 % is 0.95), money is in dollars, and
 * times are in milliseconds. Returns `NOT_A_NUMBER` if the text is not a number with a unit of this kind.
 */
export function quantityOf(text: string, kind: UnitKind, decimalComma: boolean): number {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) return NOT_A_NUMBER
  if (kind === 'rate') {
    const share = /^([^%]+)%$/.exec(trimmed)?.[1]
    return share === undefined ? NOT_A_NUMBER : plainNumber(share, decimalComma) / 100
  }
  if (kind === 'usd') return dollarsOf(trimmed, decimalComma)
  return kind === 'time' ? timeOf(trimmed, decimalComma) : NOT_A_NUMBER
}

/**
 * Returns the number that stands before a unit. If the text means an unknown value, such as `n/a`, returns
 * `NOT_A_NUMBER`, because nobody writes a unit after it.
 */
function plainNumber(text: string, decimalComma: boolean): number {
  const value = numberOf(text, decimalComma)
  return Number.isNaN(value) ? NOT_A_NUMBER : value
}

function dollarsOf(text: string, decimalComma: boolean): number {
  const sign = text.startsWith('-') ? -1 : 1
  const bare = text
    .replace(/^[-+]/, '')
    .replace(/^(?:US\$|USD|\$)\s*/i, '')
    .replace(/\s*(?:USD|US\$|\$)$/i, '')
  // If a number has both a comma and a period, a comma before groups of three digits can only separate thousands.
  const whole = /^\d{1,3}(?:,\d{3})+\.\d+$/.test(bare) ? bare.replaceAll(',', '') : bare
  return sign * plainNumber(whole, decimalComma)
}

function timeOf(text: string, decimalComma: boolean): number {
  const clock = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)$/.exec(text)
  if (clock !== null) {
    const [, hours = '0', minutes = '0', seconds = '0'] = clock
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'))) * 1000
  }
  if (!/^(?:[\d.,]+(?:e[+-]?\d+)?\s*[a-z]+\s*)+$/i.test(text)) return NOT_A_NUMBER
  let sum = 0
  for (const [, digits = '', unit = ''] of text.matchAll(/([\d.,]+(?:e[+-]?\d+)?)\s*([a-z]+)/gi)) {
    const scale = MS[unit.toLowerCase()]
    const value = plainNumber(digits, decimalComma)
    if (scale === undefined || value === NOT_A_NUMBER) return NOT_A_NUMBER
    sum += value * scale
  }
  return sum
}
