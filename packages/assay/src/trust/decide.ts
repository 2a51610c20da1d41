/**
 * Decides whether what a plan uses is allowed: because it is harmless, because the user trusts it, or for this time
 * only.
 */
import { consentKey } from './consent.ts'
import { identityOf, needsTrust, type Use } from './use.ts'
import type { TrustStore } from './store.ts'

/** Uses in one repository that are not allowed yet. */
export interface Untrusted {
  readonly root: string
  readonly uses: readonly Use[]
}

export interface TrustDecision {
  /** Whether everything that the plan uses is allowed. */
  readonly trusted: boolean
  /** The uses that are not allowed, by repository. */
  readonly missing: readonly Untrusted[]
}

export interface TrustOptions {
  readonly store: Pick<TrustStore, 'roots'>
  /** `--trust` or ASSAY_TRUST=1: allow everything, for this time only. */
  readonly all: boolean
  /** Programs that the user's own earlier command line named, for a run that is continued (consent.ts). */
  readonly consented?: ReadonlySet<string>
}

export function decideTrust(uses: readonly Use[], options: TrustOptions): TrustDecision {
  const missing = uses.filter((use) => !isAllowed(use, options))
  const byRoot = Map.groupBy(missing, ({ by }) => by.root)
  return {
    trusted: missing.length === 0,
    missing: [...byRoot].map(([root, list]) => ({ root, uses: withoutRepeats(list) })),
  }
}

export function isAllowed(use: Use, { store, all, consented }: TrustOptions): boolean {
  if (!needsTrust(use) || all) return true
  if (store.roots.get(use.by.root)?.includes(identityOf(use)) === true) return true
  const key = consentKey(use)
  return key !== null && consented?.has(key) === true
}

/**
 * Removes uses that are the same for the trust decision and keeps the first of each. A use that the user names does
 * not replace one that a file names.
 */
export function withoutRepeats<U extends Use>(uses: readonly U[]): U[] {
  const seen = new Set<string>()
  return uses.filter((use) => {
    const key = `${use.by.root}\n${needsTrust(use)}\n${identityOf(use)}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

export const isTrustedByEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): boolean => env['ASSAY_TRUST'] === '1'
