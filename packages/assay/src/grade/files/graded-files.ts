/**
 * The files that a grader reads. If an agent worked in a workspace, these are all of its files in their final state,
 * else the files of the answer. They are read one by one, because a workspace may contain thousands.
 */
import { answerFiles } from './answer-files.ts'
import { hasGlob, matchesGlob } from '../../text/index.ts'
import type { GraderInput } from '../grader.ts'
import { quoted } from '../shown.ts'

export interface GradedFiles {
  /** Sorted. */
  readonly paths: readonly string[]
  /** Returns the text, or null if the file is not text. */
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

/** Returns the files that a path or pattern matches. */
export const pathsAt = ({ paths }: GradedFiles, path: string): string[] =>
  paths.filter((name) => (hasGlob(path) ? matchesGlob(name, path) : name === path))

/** Lists the files, for a sentence. */
export function shownFiles({ paths }: GradedFiles): string {
  if (paths.length === 0) return 'it has no files'
  const named = paths.slice(0, MOST_NAMED).map((name) => quoted(name, 60))
  const more = paths.length - named.length
  return `it has ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
