/** Returns the paths of the protected files that an agent changed, added or deleted. */
import type { WorkspaceDiff, WorkspacePlan } from '@assay/contract'
import { patterns } from './patterns.ts'

export function tamperedPaths(plan: WorkspacePlan | null, diff: WorkspaceDiff): string[] {
  if (plan === null || plan.protect.length === 0) return []
  const { covers } = patterns(plan.protect)
  // This also finds a protected file whose folder was replaced by a link or file, because the diff then shows
  // the protected file as deleted.
  const paths = new Set([...diff.changes.map(({ path }) => path), ...(diff.unkept ?? [])])
  return [...paths].filter(covers)
}
