/**
 * The files that a grader reads. If an agent worked in a workspace, these are all files of the workspace in
 * their final state. Otherwise they are the files of the answer. Their contents are read one by one, because a
 * workspace may contain thousands of files.
 */
import { answerFiles } from './answer-files.ts'
import { hasGlob, matchesGlob } from '../../text/index.ts'
import type { GraderInput } from '../grader.ts'
import { quoted } from '../shown.ts'

export interface GradedFiles {
  /** The paths of all files, sorted. */
  readonly paths: readonly string[]
  /** Returns the text of a file, or null if the file is not text. */
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

/** Returns the paths that equal the given path or match the given pattern. */
export const pathsAt = ({ paths }: GradedFiles, path: string): string[] =>
  paths.filter((name) => (hasGlob(path) ? matchesGlob(name, path) : name === path))

/** Lists some of the files for the text of a grade's reason. */
export function shownFiles({ paths }: GradedFiles): string {
  if (paths.length === 0) return 'it has no files'
  const named = paths.slice(0, MOST_NAMED).map((name) => quoted(name, 60))
  const more = paths.length - named.length
  return `it has ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
