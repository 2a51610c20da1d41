/** Which of the files that an agent had to leave alone it changed, in whatever way. */
import type { WorkspaceDiff, WorkspacePlan } from '@assay/contract'
import { patterns } from './patterns.ts'

export function tamperedPaths(plan: WorkspacePlan | null, diff: WorkspaceDiff): string[] {
  if (plan === null || plan.protect.length === 0) return []
  const { covers } = patterns(plan.protect)
  // A link or file in place of a protected file's folder shows as the deletion of that file.
  const paths = new Set([...diff.changes.map(({ path }) => path), ...(diff.unkept ?? [])])
  return [...paths].filter(covers)
}
