/**
 * The folder of the user's Assay configuration, and a secret key in it. Assay signs the files it leaves in run folders
 * with this key, to recognize them later. A folder from another person has no valid signature, whatever it contains.
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
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { UsageError } from '@assay/contract'

/** Node's cryptography, loaded on first use. Each command loads this file, and few sign anything. */
const crypto = () => process.getBuiltinModule('node:crypto')

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the home folders according to the environment and to the system. A user without an account, as in many
 * containers, has no home folder in the system, and perhaps none at all.
 */
export const homeFolders = (): string[] =>
  [homedir, () => userInfo().homedir].flatMap((find) => {
    try {
      return [find()]
    } catch {
      return []
    }
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
  // Without any home folder, no folder is trusted and no configuration can be stored.
  return join(isAbsolute(home) ? home : (homeFolders()[0] ?? '/'), '.config', 'assay')
}

/** Returns the folder for files of the user that can be made again. It follows the rules of `configFolder`. */
export function cacheFolder(env: Environment): string {
  const chosen = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(chosen)) return join(chosen, 'assay')
  const local = env['LOCALAPPDATA'] ?? ''
  if (process.platform === 'win32' && isAbsolute(local)) return join(local, 'assay', 'cache')
  const home = env['HOME'] ?? ''
  return join(isAbsolute(home) ? home : (homeFolders()[0] ?? '/'), '.cache', 'assay')
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

const keyFile = (env: Environment): string => join(configFolder(env), 'consent-key')

/** Returns null if there is no key, or if it cannot be read. */
export function readUserKey(env: Environment): string | null {
  try {
    const key = readFileSync(keyFile(env), 'utf8').trim()
    return /^[\da-f]{64}$/u.test(key) ? key : null
  } catch {
    return null
  }
}

/** Creates and stores a new key. Returns null if the configuration cannot be written. */
export function makeUserKey(env: Environment): string | null {
  const key = crypto().randomBytes(32).toString('hex')
  try {
    writePrivate(keyFile(env), `${key}\n`)
    return key
  } catch {
    return null
  }
}

/**
 * The key that signs the index of a run's trials. Null if the user's configuration cannot be written. Then there is no
 * index.
 */
export function indexKey(env: Environment = process.env): Uint8Array | null {
  const key = readUserKey(env) ?? makeUserKey(env)
  return key === null ? null : crypto().createHmac('sha256', key).update('trial index').digest()
}
