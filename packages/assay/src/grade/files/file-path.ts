/** Paths of files in an answer: relative, with forward slashes, and never out of the folder they are meant for. */
import { z } from 'zod'

const LONGEST = 500

/** Why this is not a plain relative path; null where it is one. */
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

/** Of a file by its path from the suite, which may be in another folder of the repository. Null where it is one. */
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

/** Of files and folders; a folder may have a slash at its end. */
export const patternSchema = z
  .string()
  .min(1)
  .refine(
    (path) => pathFault(path.replace(/\/$/, '')) === null,
    'a relative path or pattern with forward slashes, without ".."',
  )

/** Options that name files: one path, or a pattern of them. */
export const filesSchema = pathSchema.describe(
  'Path of a file in the answer or workspace, such as src/main.ts. It may be a pattern: * for any part of a name, ? for one character, ** for any folders.',
)
