/**
 * Checks the paths of files in an answer. A path must be relative, must use forward slashes, and must not leave its
 * folder.
 */
import { z } from 'zod'

const LONGEST = 500

/** Returns why the text is not a plain relative path, or null if it is one. */
export function pathFault(path: string): string | null {
  if (path === '') return 'an empty path'
  if (path.length > LONGEST) return 'a path that is too long'
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'a control character'
  if (path.includes('\\')) return 'a backslash'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'an absolute path'
  const steps = path.split('/')
  if (steps.includes('..')) return 'a path that leaves the folder'
  return steps.some((step) => step === '' || step === '.') ? 'an empty step in the path' : null
}

/**
 * Like `pathFault`, but for a path relative to the suite, which may start with ./ or ../ to reach another folder
 * of the repository.
 */
export const sourcePathFault = (path: string): string | null =>
  pathFault(path.replace(/^(?:\.{1,2}\/)+/, ''))

export const sourcePathSchema = z
  .string()
  .min(1)
  .refine((path) => sourcePathFault(path) === null, 'a relative path with forward slashes')

export const pathSchema = z
  .string()
  .min(1)
  .refine((path) => pathFault(path) === null, 'a relative path with forward slashes, without ".."')

/** A path or pattern for files and folders. A folder may end with a slash. */
export const patternSchema = z
  .string()
  .min(1)
  .refine(
    (path) => pathFault(path.replace(/\/$/, '')) === null,
    'a relative path or pattern with forward slashes, without ".."',
  )

/** An option that names files: one path, or a pattern. */
export const filesSchema = pathSchema.describe(
  'Path of a file in the answer or workspace, such as src/main.ts. It may be a pattern: * for any part of a name, ? for one character, ** for any folders.',
)
