/**
 * Finds the folder of the user's Assay configuration, and reads a secret key in it. Assay signs the files that it
 * writes into run folders with this key. Later it accepts only files with a valid signature. A run folder from another
 * person has no valid signature, because that person does not have the key.
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

/**
 * Node's cryptography. It is loaded on first use, because every command loads this file, but few commands sign
 * anything.
 */
const crypto = () => process.getBuiltinModule('node:crypto')

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the home folders that the environment and the system name. In many containers the user has no account. Then
 * the system names no home folder, and the result may be empty.
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
  // If there is no home folder, the configuration cannot be stored, and no folder is trusted.
  return join(isAbsolute(home) ? home : (homeFolders()[0] ?? '/'), '.config', 'assay')
}

/**
 * Returns the user's cache folder, for files that Assay can create again. It follows the same rules as `configFolder`.
 */
export function cacheFolder(env: Environment): string {
  const chosen = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(chosen)) return join(chosen, 'assay')
  const local = env['LOCALAPPDATA'] ?? ''
  if (process.platform === 'win32' && isAbsolute(local)) return join(local, 'assay', 'cache')
  const home = env['HOME'] ?? ''
  return join(isAbsolute(home) ? home : (homeFolders()[0] ?? '/'), '.cache', 'assay')
}

/** Writes a file of the user's configuration, and replaces an older one. Only the user can read the file. */
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

/** Returns the user's key. Returns null if there is no key, or if it cannot be read. */
export function readUserKey(env: Environment): string | null {
  try {
    const key = readFileSync(keyFile(env), 'utf8').trim()
    return /^[\da-f]{64}$/u.test(key) ? key : null
  } catch {
    return null
  }
}

/** Creates a new key and stores it. Returns null if the user's configuration cannot be written. */
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
 * Returns the key that signs the index of a run's trials. Returns null if the user's configuration cannot be written. A
 * run then has no index.
 */
export function indexKey(env: Environment = process.env): Uint8Array | null {
  const key = readUserKey(env) ?? makeUserKey(env)
  return key === null ? null : crypto().createHmac('sha256', key).update('trial index').digest()
}
