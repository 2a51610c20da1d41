/**
 * Decides whether each `Use` of a plan (a program, address or path, see use.ts) is allowed. It is allowed if it is
 * harmless, if the user trusts it permanently, or if the user allowed it for this command only.
 */
import { consentKey } from './consent.ts'
import { identityOf, needsTrust, type Use } from './use.ts'
import type { TrustStore } from './store.ts'

/** The uses (see use.ts) that one repository names and that are not allowed yet. */
export interface Untrusted {
  readonly root: string
  readonly uses: readonly Use[]
}

export interface TrustDecision {
  /** Whether all uses of the plan are allowed. */
  readonly trusted: boolean
  /** The uses that are not allowed, by repository. */
  readonly missing: readonly Untrusted[]
}

export interface TrustOptions {
  readonly store: Pick<TrustStore, 'roots'>
  /** Set by `--trust` or ASSAY_TRUST=1: allows everything, for this command only. */
  readonly all: boolean
  /**
   * Set when a run is resumed: the programs and paths that the same user's earlier command line named (consent.ts).
   */
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
 * Removes duplicates: of several uses that are equal for the trust decision, only the first is kept. A use that
 * needs trust never equals one that does not. So a use that needs trust cannot disappear.
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
