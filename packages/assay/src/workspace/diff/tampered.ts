/** Returns the protected files that an agent changed in any way. */
import type { WorkspaceDiff, WorkspacePlan } from '@assay/contract'
import { patterns } from './patterns.ts'

export function tamperedPaths(plan: WorkspacePlan | null, diff: WorkspaceDiff): string[] {
  if (plan === null || plan.protect.length === 0) return []
  const { covers } = patterns(plan.protect)
  // If a link or file replaces the folder of a protected file, the diff shows that file as deleted.
  const paths = new Set([...diff.changes.map(({ path }) => path), ...(diff.unkept ?? [])])
  return [...paths].filter(covers)
}
