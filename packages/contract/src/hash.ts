/**
 * What makes a case the same case: a hash over everything that decides what is asked or how the answer is
 * graded, and over nothing else. Names, descriptions, tags and the number of trials may change without
 * making old trials incomparable; the key order and the syntax of the file never matter.
 *
 * Fields at their neutral value (null, false, an empty list) are left out, so that a field added to `Case`
 * later does not change the hash of the cases that do not use it.
 */
import { createHash } from 'node:crypto'
import type { Case } from './case.ts'
import type { Json } from './json.ts'

/** `{"a":1}`, or `[["a",1]]`, which baselines of version 1 are hashed in. */
type ObjectsAs = 'objects' | 'entries'

/** JSON with sorted keys and no spaces: one text for one value. */
export function canonicalJson(value: Json, objectsAs: ObjectsAs = 'objects'): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((one) => canonicalJson(one, objectsAs)).join(',')}]`
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [JSON.stringify(key), canonicalJson(entry, objectsAs)])
  return objectsAs === 'objects'
    ? `{${entries.map((entry) => entry.join(':')).join(',')}}`
    : `[${entries.map((entry) => `[${entry.join(',')}]`).join(',')}]`
}

export function hashOf(value: Json, objectsAs?: ObjectsAs): string {
  return createHash('sha256').update(canonicalJson(value, objectsAs)).digest('hex').slice(0, 32)
}

/** What JSON keeps of a value: no keys that are undefined, no number that JSON does not have. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json

export function caseHash(content: Omit<Case, 'hash'>): string {
  const {
    id: _id,
    name: _name,
    description: _description,
    tags: _tags,
    trials: _trials,
    workspace,
    ...graded
  } = content
  const told = Object.entries({ ...graded, workspace: placeless(workspace) }).filter(
    ([, value]) => !isNeutral(value),
  )
  return hashOf(Object.fromEntries(told) as unknown as Json)
}

/** Over the cases' ids and hashes; their order in the file does not matter. */
export function suiteHash(cases: readonly Pick<Case, 'id' | 'hash'>[]): string {
  const sorted = cases
    .map(({ id, hash }) => [id, hash])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return hashOf(sorted)
}

/** Where a repository or folder lies on this machine does not matter: the commit and the hash say what is in it. */
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
  return typeof value === 'object' && Object.keys(value).length === 0
}
