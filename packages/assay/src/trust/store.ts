/**
 * Stores in the user's configuration what the user trusts. For each repository, these are the programs that it may
 * start, the keys that it may send and their addresses, and the outside paths that it may use. The file is always
 * replaced as a whole. A damaged file counts as empty and is never overwritten.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import { configFolder, writePrivate } from '../environment/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface TrustStore {
  readonly file: string
  /** Maps a repository root to the identities (`identityOf` in use.ts) of the uses that are allowed there. */
  readonly roots: ReadonlyMap<string, readonly string[]>
  /** Why the file cannot be used. Null if it can be used, or if it does not exist. */
  readonly damage: string | null
}

const fileSchema = z.strictObject({
  assay: z.literal('trust'),
  version: z.literal(1),
  roots: z.record(z.string(), z.strictObject({ allowed: z.array(z.string()) })),
})

export function readTrust(env: Environment): TrustStore {
  const file = join(configFolder(env), 'trust.json')
  const none = (damage: string | null): TrustStore => ({ file, roots: new Map(), damage })
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return none(code === 'ENOENT' || code === 'ENOTDIR' ? null : message)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return none((error as Error).message)
  }
  const read = fileSchema.safeParse(value)
  if (!read.success) return none(z.prettifyError(read.error).split('\n').join(' '))
  const roots = Object.entries(read.data.roots).map(
    ([root, { allowed }]) => [root, allowed] as const,
  )
  return { file, roots: new Map(roots), damage: null }
}

/** Adds allowed uses to a repository. The repository counts as trusted from then on, even if the list is empty. */
export function allow(env: Environment, root: string, identities: readonly string[]): void {
  const { roots, ...store } = readTrust(env)
  const allowed = [...new Set([...(roots.get(root) ?? []), ...identities])].sort()
  write({ ...store, roots: new Map([...roots, [root, allowed]]) })
}

/** Removes the trust of a repository. Returns whether it was trusted. */
export function revoke(env: Environment, root: string): boolean {
  const { roots, ...store } = readTrust(env)
  if (!roots.has(root)) return false
  write({ ...store, roots: new Map([...roots].filter(([one]) => one !== root)) })
  return true
}

function write({ file, roots, damage }: TrustStore): void {
  if (damage !== null)
    throw new UsageError(
      `${file} is damaged and stays as it is (${damage}): mend it or move it away`,
    )
  const sorted = [...roots].sort(([a], [b]) => (a < b ? -1 : 1))
  const value = {
    assay: 'trust',
    version: 1,
    roots: Object.fromEntries(sorted.map(([root, allowed]) => [root, { allowed }])),
  }
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`)
}
