/**
 * Records what a user's command line named, for resumed runs. When the same user resumes a run, the programs and
 * files that the earlier command line named are allowed again. The run's record lists them with a signature, which
 * is made with a key in the user's configuration. A run folder from another person has no valid signature, even if
 * its record lists programs.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { makeUserKey, readUserKey } from '../environment/index.ts'
import type { Use } from './use.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Consent {
  /** Each entry is JSON: a program with its arguments and folder, or a path. */
  readonly named: readonly string[]
  readonly signature: string
}

/**
 * Signs the programs and paths among these uses. Returns null if there are none, or if the user's configuration
 * cannot be written.
 */
export function signConsent(env: Environment, root: string, uses: readonly Use[]): Consent | null {
  const named = [...new Set(uses.flatMap((use) => consentKey(use) ?? []))].sort()
  if (named.length === 0) return null
  const key = readUserKey(env) ?? makeUserKey(env)
  return key === null ? null : { named, signature: sign(key, root, named) }
}

/**
 * Returns a function that signs cached answers with the user's key. If the user's configuration cannot be written, a
 * temporary key is used, and its signatures are valid only in this process.
 */
export function ownSigner(env: Environment): (text: string) => string {
  const key = readUserKey(env) ?? makeUserKey(env) ?? randomBytes(32).toString('hex')
  return (text) => createHmac('sha256', key).update(`answer ${text}`).digest('hex')
}

/**
 * Returns the programs and paths that the user consented to in this repository. Empty if the user's signature is
 * missing or wrong.
 */
export function consentedIn(env: Environment, root: string, given: unknown): ReadonlySet<string> {
  const key = readUserKey(env)
  if (key === null || !isConsent(given)) return new Set()
  const expected = Buffer.from(sign(key, root, given.named))
  const found = Buffer.from(given.signature)
  const holds = expected.length === found.length && timingSafeEqual(expected, found)
  return new Set(holds ? given.named : [])
}

/**
 * Returns a key that identifies the program or path of a `Use`. The key does not depend on the file that names it.
 * Null for uses that a command line cannot consent to, such as sending an API key.
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
