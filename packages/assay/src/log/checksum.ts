/**
 * Checksums of what a run folder holds: a CRC-32 over a value's canonical JSON, so that white space, line endings
 * and the order of keys do not matter. They detect damage (a bit that flipped, a number that an editor changed),
 * not forgery: anybody who changes a value can compute its checksum again.
 */
import { crc32 } from 'node:zlib'
import type { Json } from '@assay/contract'
import { canonicalJson } from '@assay/contract/hash'

/** How many characters a checksum has. */
export const CRC_LENGTH = 6

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The four bytes in base64url, the highest first: every line has two of them, and a million lines are many bytes. */
export const crcText = (crc: number): string =>
  DIGITS.charAt((crc >>> 26) & 63) +
  DIGITS.charAt((crc >>> 20) & 63) +
  DIGITS.charAt((crc >>> 14) & 63) +
  DIGITS.charAt((crc >>> 8) & 63) +
  DIGITS.charAt((crc >>> 2) & 63) +
  DIGITS.charAt((crc << 4) & 63)

export const crcOf = (content: string | Uint8Array): string => crcText(crc32(content))

/** Of a value as JSON has it. */
export const checksumOf = (value: unknown): string => crcOf(canonicalText(value))

/**
 * The text of `canonicalJson`, several times faster: a copy with sorted keys that the engine writes. What JSON does
 * not know is left out, as JSON.stringify does.
 */
export function canonicalText(value: unknown): string {
  const copy = sortedCopy(value)
  return copy === UNSORTABLE ? slowText(value) : JSON.stringify(copy)
}

const slowText = (value: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(value)) as Json)

/** The canonical texts of the entries of a table whose keys are in `second`, and of all others before them. */
export function canonicalParts(
  value: object,
  second: ReadonlySet<string>,
): readonly [string, string] {
  const [others, chosen]: [Table, Table] = [{}, {}]
  for (const key of sortedKeys(value)) {
    const copy = sortedCopy((value as Table)[key])
    if (copy === UNSORTABLE || isUnsortable(key)) return slowParts(value, second)
    if (second.has(key)) chosen[key] = copy
    else others[key] = copy
  }
  return [JSON.stringify(others), JSON.stringify(chosen)]
}

function slowParts(value: object, second: ReadonlySet<string>): readonly [string, string] {
  const entries = Object.entries(value)
  return [
    slowText(Object.fromEntries(entries.filter(([key]) => !second.has(key)))),
    slowText(Object.fromEntries(entries.filter(([key]) => second.has(key)))),
  ]
}

type Table = Record<string, unknown>

const UNSORTABLE = Symbol('unsortable')

const [ZERO, NINE] = ['0'.charCodeAt(0), '9'.charCodeAt(0)]

/** An object cannot hold such keys in order: numbers come first, and one key is its prototype. */
function isUnsortable(key: string): boolean {
  const first = key.charCodeAt(0)
  return (first >= ZERO && first <= NINE) || key === '__proto__'
}

/** Tables have few keys: this is twice as fast as the engine's sort. */
const MOST_INSERTED = 40

function sortedKeys(table: object): string[] {
  const keys = Object.keys(table)
  if (keys.length > MOST_INSERTED) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function sortedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const entry of value as readonly unknown[]) {
      const copy = sortedCopy(entry)
      if (copy === UNSORTABLE) return UNSORTABLE
      list.push(copy)
    }
    return list
  }
  const table: Table = {}
  for (const key of sortedKeys(value)) {
    const copy = sortedCopy((value as Table)[key])
    if (copy === UNSORTABLE || isUnsortable(key)) return UNSORTABLE
    table[key] = copy
  }
  return table
}
