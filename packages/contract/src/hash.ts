/**
 * The hash that identifies a case. It covers everything that determines what is asked or how the answer is graded,
 * and nothing else. So if only a name, a description, a tag or the number of trials changes, old trials stay
 * comparable. The order of keys and the syntax of the suite file never change the hash.
 *
 * Fields with a neutral value (null, false, an empty list) are left out. So when a later version of Assay adds a
 * field to `Case`, the hashes of cases that do not use the field stay the same.
 */
import { createHash, hash as digestOf } from 'node:crypto'
import type { Case } from './case.ts'
import type { Json } from './json.ts'
import { sortedCopy, UNSORTABLE } from './sorted-copy.ts'

export { isUnsortable, sortedCopy, sortedKeys, UNSORTABLE } from './sorted-copy.ts'

/** How `canonicalJson` writes objects: as `{"a":1}`, or as `[["a",1]]`, which the hashes of version 1 baselines use. */
type ObjectsAs = 'objects' | 'entries'

/** Returns JSON with sorted keys and without spaces, so that equal values give equal texts. */
export function canonicalJson(value: Json, objectsAs: ObjectsAs = 'objects'): string {
  const copy = objectsAs === 'objects' ? sortedCopy(value) : UNSORTABLE
  return copy === UNSORTABLE ? joinedJson(value, objectsAs) : JSON.stringify(copy)
}

function joinedJson(value: Json, objectsAs: ObjectsAs): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((one) => joinedJson(one, objectsAs)).join(',')}]`
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [JSON.stringify(key), joinedJson(entry, objectsAs)])
  return objectsAs === 'objects'
    ? `{${entries.map((entry) => entry.join(':')).join(',')}}`
    : `[${entries.map((entry) => `[${entry.join(',')}]`).join(',')}]`
}

/** Returns the first 16 bytes of the SHA-256 digest of the value's canonical text, in hexadecimal. */
export function hashOf(value: Json, objectsAs?: ObjectsAs): string {
  return firstHalf(digestOf('sha256', canonicalJson(value, objectsAs), 'hex'))
}

const HALF = 32
const copied = Buffer.alloc(HALF)

/**
 * Returns the first half of a digest as a separate text. In JavaScript, a slice of a longer text keeps the longer text
 * in memory, and a suite keeps a hash for each case. The copy takes half the time of a digest in a buffer.
 */
function firstHalf(digest: string): string {
  copied.write(digest, 0, HALF, 'latin1')
  return copied.toString('latin1', 0, HALF)
}

/** Converts a value to plain JSON: undefined keys are dropped, and numbers that JSON cannot express become null. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json

export function caseHash(content: Omit<Case, 'hash'>): string {
  const hashed: Record<string, unknown> = {}
  for (const key of Object.keys(content) as (keyof typeof content)[]) {
    if (NOT_HASHED.has(key)) continue
    // `vars` is left out, because the hash of the row covers all columns. `vars` holds only the columns that the
    // prompts use today, so with it, a changed prompt would change the hash.
    if (key === 'vars' && content.row !== undefined) continue
    const value = key === 'workspace' ? placeless(content.workspace) : content[key]
    if (value !== undefined && (isInput(key) || !isNeutral(value))) hashed[key] = value
  }
  return hashOf(hashed as unknown as Json)
}

/** Whether null, false and an empty list are meaningful values of this field, not neutral ones. */
const isInput = (key: keyof Case): boolean => key === 'input' || key === 'expected'

const NOT_HASHED: ReadonlySet<string> = new Set<keyof Case>([
  ...(['id', 'name', 'description', 'tags', 'group', 'metadata', 'trials'] as const),
])

/** The number of cases whose text is made at once when a suite is hashed. */
const HASHED_AT_ONCE = 1000

/**
 * Returns a hash over the cases' ids and hashes: `hashOf` of the pairs, sorted by id. The order in the file does not
 * matter. The canonical text is made in pieces, because that of a large suite would need much memory.
 */
export function suiteHash(cases: readonly Pick<Case, 'id' | 'hash'>[]): string {
  const sorted = cases.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const digest = createHash('sha256')
  let piece = '['
  for (const [index, { id, hash }] of sorted.entries()) {
    piece += `${index === 0 ? '' : ','}[${JSON.stringify(id)},${JSON.stringify(hash)}]`
    if (index % HASHED_AT_ONCE !== 0) continue
    digest.update(piece)
    piece = ''
  }
  return firstHalf(digest.update(`${piece}]`).digest('hex'))
}

/**
 * Removes the paths of the repository and of the folder from the data that is hashed. The commit and the folder's
 * hash already identify the content. Without the paths, the same content in another location gives the same hash.
 */
function placeless(workspace: Case['workspace']): Json {
  if (workspace === null) return null
  const { git, folder, ...rest } = workspace
  return {
    ...rest,
    git: git === null ? null : { commit: git.commit, depth: git.depth },
    folder: folder === null ? null : folder.sha256,
  }
}

function isNeutral(value: unknown): boolean {
  if (value === null || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
