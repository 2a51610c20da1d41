/**
 * Stores what the user trusts in the user's configuration: for each repository, the programs and the pairs of
 * variable and address that it named when trust was given. The file is always replaced as a whole. A damaged file
 * counts as empty and is never overwritten.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '@assay/contract'

type Environment = Readonly<Record<string, string | undefined>>

export interface TrustStore {
  readonly file: string
  /** Maps a repository root to the identities (use.ts) of what is allowed there. */
  readonly roots: ReadonlyMap<string, readonly string[]>
  /** Why the file cannot be used. Null if it can, or if there is none. */
  readonly damage: string | null
}

const fileSchema = z.strictObject({
  assay: z.literal('trust'),
  version: z.literal(1),
  roots: z.record(z.string(), z.strictObject({ allowed: z.array(z.string()) })),
})

/**
 * Returns the folder of the user's Assay configuration. A relative XDG_CONFIG_HOME is ignored, as its standard
 * requires.
 */
export function configFolder(env: Environment): string {
  const chosen = env['XDG_CONFIG_HOME'] ?? ''
  if (isAbsolute(chosen)) return join(chosen, 'assay')
  const roaming = env['APPDATA'] ?? ''
  if (process.platform === 'win32' && isAbsolute(roaming)) return join(roaming, 'assay')
  const home = env['HOME'] ?? ''
  return join(isAbsolute(home) ? home : homedir(), '.config', 'assay')
}

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

/** Allows more in a repository. The repository counts as trusted from then on, even if the list is empty. */
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

/** Replaces a file of the user's configuration. Only the user may read it. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const fd = openSync(temporary, 'w', 0o600)
    try {
      chmodSync(temporary, 0o600)
      writeSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`, { cause: error })
  }
}
