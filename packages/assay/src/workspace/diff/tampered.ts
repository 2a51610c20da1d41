/** Returns the paths of the protected files that an agent changed, added or deleted. */
import type { WorkspaceDiff, WorkspacePlan } from '@assay/contract'
import { patterns } from './patterns.ts'

export function tamperedPaths(plan: WorkspacePlan | null, diff: WorkspaceDiff): string[] {
  if (plan === null || plan.protect.length === 0) return []
  const { covers } = patterns(plan.protect)
  // Files whose permissions ordinary work does not cause. The changes below also include a protected file whose folder
  // was replaced by a link or file, because the diff shows that file as deleted.
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
 * Whether ordinary work can leave these permissions. A program that writes a file again may use another umask. That
 * changes the permissions of the group and of others, but not those of the owner.
 */
const isOrdinary = (bits: number): boolean => {
  const owner = bits & 0o7700
  return owner === 0o600 || owner === 0o700
}
