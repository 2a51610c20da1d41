/**
 * The files that a grader looks at: all of the workspace where an agent worked in one, as it left it, else
 * the files of the answer. Read one by one, for a workspace may hold thousands.
 */
import { answerFiles } from './answer-files.ts'
import { hasGlob, matchesGlob } from '../../text/index.ts'
import type { GraderInput } from '../grader.ts'
import { quoted } from '../shown.ts'

export interface GradedFiles {
  /** In order. */
  readonly paths: readonly string[]
  /** Null where it is no text. */
  read(path: string): Promise<string | null>
}

const MOST_NAMED = 5

export async function gradedFiles(graded: GraderInput): Promise<GradedFiles> {
  const { workspace } = graded
  if (workspace !== null)
    return { paths: await workspace.list(), read: (path) => workspace.read(path) }
  const files = answerFiles(graded)
  return {
    paths: [...files.keys()].toSorted(),
    read: (path) => Promise.resolve(files.get(path) ?? null),
  }
}

/** Those that a path or pattern means. */
export const pathsAt = ({ paths }: GradedFiles, path: string): string[] =>
  paths.filter((name) => (hasGlob(path) ? matchesGlob(name, path) : name === path))

/** What files there are, for a sentence. */
export function shownFiles({ paths }: GradedFiles): string {
  if (paths.length === 0) return 'it has no files'
  const named = paths.slice(0, MOST_NAMED).map((name) => quoted(name, 60))
  const more = paths.length - named.length
  return `it has ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
