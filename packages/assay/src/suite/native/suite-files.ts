/**
 * Reads text files of the repository that contains a suite. A suite may be untrusted, so it can read nothing outside
 * the repository and nothing in `.git`. Absolute paths are refused, and so are `..` and links that lead out. Only
 * regular files of limited size are read. If the suite is not in a repository, it can read only its own folder. Each
 * file is read once, and the total size is limited.
 */
import { isUtf8 } from 'node:buffer'
import { constants, existsSync, realpathSync } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isVersionControl, isWithin, repositoryOf } from '@assay/sandbox'
import { escapeControls, nearestIn } from '../../documents/index.ts'

const MB = 1024 * 1024
const MOST_FILE = 8 * MB
/**
 * The limit for the total size of all files that cases use. A file counts each time it is used, because its content is
 * hashed and kept with each case.
 */
const MOST_TOTAL = 256 * MB

/** Says why a file is not read: what was found and what was expected. */
export interface Refusal {
  readonly expected: string
  readonly found: string
}

export type Read = { readonly text: string } | { readonly refusal: Refusal }

/**
 * Reads files of the suite's repository by paths relative to the suite's folder. If a file may not be read, returns the
 * reason.
 */
export class SuiteFiles {
  /** The folder of the suite. */
  readonly folder: string
  readonly #read = new Map<string, Promise<Read>>()
  #total = 0

  constructor(suitePath: string) {
    this.folder = path.dirname(path.resolve(suitePath))
  }

  async text(file: string): Promise<Read> {
    const wrong = sourceRefusal(file)
    if (wrong !== null) return { refusal: wrong }
    let reading = this.#read.get(file)
    if (reading === undefined) {
      reading = readInside(this.folder, file)
      this.#read.set(file, reading)
    }
    const read = await reading
    if ('refusal' in read) return read
    this.#total += read.text.length
    if (this.#total > MOST_TOTAL)
      return refuse('more text than a suite may hold', `at most ${MOST_TOTAL / MB} MB in all`)
    return read
  }

  /**
   * Returns the path of a file that the suite may read, with all links resolved. The size of the file is not
   * checked.
   */
  async resolve(file: string): Promise<{ readonly path: string } | { readonly refusal: Refusal }> {
    const wrong = sourceRefusal(file)
    if (wrong !== null) return { refusal: wrong }
    try {
      return await resolveInside(this.folder, file)
    } catch (error) {
      return unreadable(error, this.folder, file)
    }
  }
}

/** Returns why this is not a portable relative path that stays inside its folder. Null if it is one. */
export function pathRefusal(file: string): Refusal | null {
  const expected = 'a relative path inside the folder, with forward slashes'
  const steps = file.split('/')
  const found =
    notPortable(file) ??
    (steps.includes('..')
      ? 'a path that leaves the folder'
      : steps.some((step) => step === '' || step === '.')
        ? 'an empty step in the path'
        : null)
  return found === null ? null : { expected, found }
}

/**
 * Returns why this cannot be a path in the suite's repository. Null if it can. Links in the path are checked later.
 */
export function sourceRefusal(file: string): Refusal | null {
  const found = notPortable(file) ?? hidingStep(file.split('/'))
  return found === null ? null : { expected: 'a relative path with forward slashes', found }
}

/** Names the folder of version control that a path goes through. Its settings can contain passwords. */
function hidingStep(steps: readonly string[]): string | null {
  const step = steps.find(isVersionControl)
  if (step === undefined) return null
  const visible = step.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  return `a path in ${/git/iu.test(visible) ? '.git' : visible}`
}

function notPortable(file: string): string | null {
  if (file.length > 500) return 'a path that is too long'
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(file)) return 'a control character'
  if (file.includes('\\')) return 'a backslash'
  if (path.posix.isAbsolute(file) || path.win32.isAbsolute(file) || /^[A-Za-z]:/.test(file))
    return 'an absolute path'
  return null
}

/**
 * Returns why a suite in `folder` may not read `target`. Null if it may. Links in both paths must already be
 * resolved.
 */
export function reachRefusal(folder: string, target: string): Refusal | null {
  const repository = repositoryOf(folder)
  if (isWithin(target, repository)) {
    const found = hidingStep(path.relative(repository, target).split(path.sep))
    return found === null ? null : { found, expected: 'another file of the repository' }
  }
  return repository === folder && !existsSync(path.join(folder, '.git'))
    ? {
        found: 'a path that leaves the folder',
        expected:
          'a path inside the suite’s folder, as the suite is in no repository (no .git is above it)',
      }
    : {
        found: 'a path that leaves the repository',
        expected: 'a path inside the repository that the suite is in',
      }
}

async function resolveInside(
  folder: string,
  file: string,
): Promise<{ readonly path: string } | { readonly refusal: Refusal }> {
  const root = await realpath(folder)
  const written = reachRefusal(root, path.join(root, file))
  if (written !== null) return { refusal: written }
  const target = await realpath(path.join(root, file))
  // The path may be a link that leads out of the repository, so its target is checked.
  const beyond = reachRefusal(root, target)
  if (beyond !== null) return { refusal: beyond }
  if (!(await lstat(target)).isFile()) return refuse('not a regular file', 'a text file')
  return { path: target }
}

async function readInside(folder: string, file: string): Promise<Read> {
  try {
    const found = await resolveInside(folder, file)
    if ('refusal' in found) return found
    const target = found.path
    const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      if (size > MOST_FILE)
        return refuse('a file that is too large', `at most ${MOST_FILE / MB} MB`)
      const bytes = await handle.readFile()
      if (!isUtf8(bytes)) return refuse('not UTF-8 text', 'a UTF-8 text file')
      return { text: bytes.toString('utf8').replace(/^\uFEFF/, '') }
    } finally {
      await handle.close()
    }
  } catch (error) {
    return unreadable(error, folder, file)
  }
}

function unreadable(error: unknown, folder: string, file: string): { readonly refusal: Refusal } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? refuse('no such file', `a file by its path from the suite${meantFile(folder, file)}`)
    : refuse(`a file that cannot be read (${code})`, 'a readable file')
}

/**
 * Suggests the file in the same folder that the user probably meant. Suggests nothing if links lead out of the
 * repository.
 */
function meantFile(folder: string, file: string): string {
  try {
    const root = realpathSync(folder)
    const target = path.join(root, file)
    if (reachRefusal(root, realpathSync(path.dirname(target))) !== null) return ''
    const near = nearestIn(target)
    return near === null ? '' : ` (did you mean ${escapeControls(path.relative(root, near))}?)`
  } catch {
    return ''
  }
}

const refuse = (found: string, expected: string): { readonly refusal: Refusal } => ({
  refusal: { found, expected },
})
