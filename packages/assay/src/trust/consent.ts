/**
 * Programs and files that the user's own command line named are allowed again when that user continues the run. The
 * run's record lists them with a signature, made with a key in the user's configuration. A run folder from elsewhere
 * has no valid signature, whatever its record says.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Use } from './use.ts'
import { configFolder, writePrivate } from './store.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Consent {
  /** Each is JSON: a program with its arguments and folder, or a path. */
  readonly named: readonly string[]
  readonly signature: string
}

/** Returns null if the user named nothing, or if the configuration cannot be written. */
export function signConsent(env: Environment, root: string, uses: readonly Use[]): Consent | null {
  const named = [...new Set(uses.flatMap((use) => consentKey(use) ?? []))].sort()
  if (named.length === 0) return null
  const key = readKey(env) ?? makeKey(env)
  return key === null ? null : { named, signature: sign(key, root, named) }
}

/** Returns what the user consented to in this repository. Empty if the user's signature is missing or wrong. */
export function consentedIn(env: Environment, root: string, given: unknown): ReadonlySet<string> {
  const key = readKey(env)
  if (key === null || !isConsent(given)) return new Set()
  const expected = Buffer.from(sign(key, root, given.named))
  const found = Buffer.from(given.signature)
  const holds = expected.length === found.length && timingSafeEqual(expected, found)
  return new Set(holds ? given.named : [])
}

/**
 * Returns the program or path as a key, regardless of who names it. Null for uses that a command line cannot consent
 * to, such as sending a key.
 */
export function consentKey(use: Use): string | null {
  if (use.does === 'start') return JSON.stringify(['start', ...use.words, use.in])
  return use.does === 'read' ? JSON.stringify(['read', use.path]) : null
}

function isConsent(value: unknown): value is Consent {
  if (typeof value !== 'object' || value === null) return false
  const { named, signature } = value as Partial<Record<keyof Consent, unknown>>
  return (
    Array.isArray(named) &&
    named.every((one) => typeof one === 'string') &&
    typeof signature === 'string'
  )
}

const sign = (key: string, root: string, named: readonly string[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([root, named]))
    .digest('hex')

const keyFile = (env: Environment): string => join(configFolder(env), 'consent-key')

function readKey(env: Environment): string | null {
  try {
    const key = readFileSync(keyFile(env), 'utf8').trim()
    return /^[\da-f]{64}$/u.test(key) ? key : null
  } catch {
    return null
  }
}

function makeKey(env: Environment): string | null {
  const key = randomBytes(32).toString('hex')
  try {
    writePrivate(keyFile(env), `${key}\n`)
    return key
  } catch {
    // Without a key, the run asks again when it is continued.
    return null
  }
}
