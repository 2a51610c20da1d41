/**
 * Writes a report to a file. The report is first written to a temporary file in the same folder, which is then renamed.
 * So a reader gets either the old file or the complete new one. Text is collected until there are a few hundred
 * kilobytes, and then written. So the whole report is never in memory.
 */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RunError, UsageError } from '@assay/contract'
import type { ReportFormat, ReportSource } from './format.ts'

const GATHERED = 262_144

export const writeReport = (
  format: ReportFormat,
  source: ReportSource,
  path: string,
): Promise<void> => writePieces(path, (put) => format.write(source, put))

/** Writes a file from the pieces of text that `write` passes to its argument. */
export async function writePieces(
  path: string,
  write: (put: (text: string) => void) => void | Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    // An untrusted folder may contain a link with this name, and writing through it would change another file. So the
    // link is removed first.
    rmSync(temporary, { force: true })
    return openSync(temporary, 'wx')
  })
  try {
    let pieces: string[] = []
    let size = 0
    const flush = (): void => {
      const bytes = Buffer.from(pieces.join(''))
      pieces = []
      size = 0
      attempt(path, () => {
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
      })
    }
    try {
      await write((text) => {
        pieces.push(text)
        size += text.length
        if (size >= GATHERED) flush()
      })
      flush()
      attempt(path, () => fsyncSync(fd))
    } finally {
      closeSync(fd)
    }
    attempt(path, () => renameSync(temporary, path))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Throws `UsageError` if a report cannot be written to this path. It creates nothing, not even missing folders. So it
 * can be called before a run that takes long and costs money.
 */
export function checkReportPath(path: string): void {
  const refuse = (why: string): UsageError =>
    new UsageError(`cannot write the report ${path}: ${why}`)
  if (statOf(path)?.isDirectory() === true) throw refuse('it is a folder')
  let folder = dirname(resolve(path))
  for (;;) {
    const found = statOf(folder)
    if (found?.isDirectory() === true) break
    if (found !== null) throw refuse(`${folder} is not a folder`)
    folder = dirname(folder)
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    throw refuse(`the folder ${folder} cannot be written to`)
  }
}

/** Returns null if nothing exists at this path, or if a part of the path is not a folder. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** Turns errors of the file system into errors for the user, because they are not bugs in Assay. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new RunError(`cannot write the report ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
