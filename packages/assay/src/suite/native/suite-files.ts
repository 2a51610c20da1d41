/**
 * Text from files beside a suite. A suite may come from a stranger, so it reaches nothing outside of its
 * own folder: no absolute paths, no `..`, no links that lead out, only regular files of modest size. Each
 * file is read once, and the sum of what a suite takes in is bounded.
 */
import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'

const MB = 1024 * 1024
const MOST_FILE = 8 * MB
/** Over all uses, also of the same file: every use is hashed and kept with its case. */
const MOST_TOTAL = 256 * MB

/** A reason why a file is not read, as an expectation for the reader. */
export interface Refusal {
  readonly expected: string
  readonly found: string
}

export type Read = { readonly text: string } | { readonly refusal: Refusal }

/** Reads files below one folder, or says why not. */
export class SuiteFiles {
  readonly #folder: string
  readonly #read = new Map<string, Promise<Read>>()
  #total = 0

  constructor(suitePath: string) {
    this.#folder = path.dirname(path.resolve(suitePath))
  }

  async text(file: string): Promise<Read> {
    const wrong = pathRefusal(file)
    if (wrong !== null) return { refusal: wrong }
    let reading = this.#read.get(file)
    if (reading === undefined) {
      reading = readInside(this.#folder, file)
      this.#read.set(file, reading)
    }
    const read = await reading
    if ('refusal' in read) return read
    this.#total += read.text.length
    if (this.#total > MOST_TOTAL)
      return refuse('more text than a suite may hold', `at most ${MOST_TOTAL / MB} MB in all`)
    return read
  }
}

/** Why this is not a portable relative path below a folder; null where it is one. */
export function pathRefusal(file: string): Refusal | null {
  const expected = 'a relative path inside the folder, with forward slashes'
  const steps = file.split('/')
  const found = ((): string | null => {
    if (file.length > 500) return 'a path that is too long'
    // oxlint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f]/.test(file)) return 'a control character'
    if (file.includes('\\')) return 'a backslash'
    if (path.posix.isAbsolute(file) || path.win32.isAbsolute(file) || /^[A-Za-z]:/.test(file))
      return 'an absolute path'
    if (steps.includes('..')) return 'a path that leaves the folder'
    if (steps.some((step) => step === '' || step === '.')) return 'an empty step in the path'
    return null
  })()
  return found === null ? null : { expected, found }
}

async function readInside(folder: string, file: string): Promise<Read> {
  try {
    const root = await realpath(folder)
    const target = await realpath(path.join(root, file))
    if (!target.startsWith(root.endsWith(path.sep) ? root : root + path.sep))
      return refuse('a link that leaves the folder', 'a file inside the suite’s folder')
    if (!(await lstat(target)).isFile()) return refuse('not a regular file', 'a text file')
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? refuse('no such file', 'a file beside the suite')
      : refuse(`a file that cannot be read (${code})`, 'a readable file')
  }
}

const refuse = (found: string, expected: string): Read => ({ refusal: { found, expected } })
