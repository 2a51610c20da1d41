/**
 * The checksums in a run folder. A checksum is a CRC-32 over a value's canonical JSON, so that white space, line
 * endings and the order of keys do not matter. Checksums detect damage (a flipped bit, a number changed in an editor).
 * They do not detect forgery, because a person who changes a value can also compute its checksum.
 */
import { crc32 } from 'node:zlib'
import type { Json } from '@assay/contract'
import {
  canonicalJson,
  isUnsortable,
  sortedCopy,
  sortedKeys,
  UNSORTABLE,
} from '@assay/contract/hash'

/** The number of characters of a checksum. */
export const CRC_LENGTH = 6

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Encodes a checksum's four bytes in base64url, the highest byte first. Base64url is shorter than hex, which matters
 * because each line has two checksums.
 */
export const crcText = (crc: number): string =>
  DIGITS.charAt((crc >>> 26) & 63) +
  DIGITS.charAt((crc >>> 20) & 63) +
  DIGITS.charAt((crc >>> 14) & 63) +
  DIGITS.charAt((crc >>> 8) & 63) +
  DIGITS.charAt((crc >>> 2) & 63) +
  DIGITS.charAt((crc << 4) & 63)

export const crcOf = (content: string | Uint8Array): string => crcText(crc32(content))

/** The checksum of a value, over its canonical JSON. */
export const checksumOf = (value: unknown): string => crcOf(canonicalText(value))

/**
 * The canonical JSON of a value. Values that JSON cannot express, such as undefined, are left out, as in
 * JSON.stringify.
 */
export function canonicalText(value: unknown): string {
  const copy = sortedCopy(value)
  return copy === UNSORTABLE ? slowText(value) : JSON.stringify(copy)
}

const slowText = (value: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(value)) as Json)

/**
 * Splits an object in two and returns the canonical text of both: first the entries whose keys are not in `second`,
 * then the entries whose keys are in `second`.
 */
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
