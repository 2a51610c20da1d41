/** Returns the paths of the protected files that an agent changed, added or deleted. */
import type { WorkspaceDiff, WorkspacePlan } from '@assay/contract'
import { patterns } from './patterns.ts'

export function tamperedPaths(plan: WorkspacePlan | null, diff: WorkspaceDiff): string[] {
  if (plan === null || plan.protect.length === 0) return []
  const { covers } = patterns(plan.protect)
  // This also finds a protected file whose folder was replaced by a link or file, because the diff then shows
  // the protected file as deleted.
  const closed = Object.entries(diff.permissions ?? {}).flatMap(([path, bits]) =>
    isOrdinary(Number.parseInt(bits, 8)) ? [] : [path],
  )
  const paths = new Set([
    ...[...diff.changes, ...(diff.folders ?? [])].map(({ path }) => path),
    ...(diff.unkept ?? []),
    ...closed,
  ])
  return [...paths].filter(covers)
}

/**
 * Whether a program that only writes a file or makes a folder again may leave these permissions: another umask changes
 * what the group and others may do, but not what the owner may do.
 */
const isOrdinary = (bits: number): boolean => {
  const owner = bits & 0o7700
  return owner === 0o600 || owner === 0o700
}
