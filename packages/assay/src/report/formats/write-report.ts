/**
 * Writes a report to a file. It writes a temporary file in the same folder and then renames it, so that a
 * reader sees either the old file or the complete new one. Text is buffered to a few hundred kilobytes and
 * then written; the whole report is never in memory.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { RunError } from '@assay/contract'
import type { ReportFormat, ReportSource } from './format.ts'

const GATHERED = 262_144

export async function writeReport(
  format: ReportFormat,
  source: ReportSource,
  path: string,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = attempt(path, () => {
    // At most one missing folder is created: several missing levels are more likely a typing error.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path))
    // An untrusted folder may contain a link with this name, so it is removed first.
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
      await format.write(source, (text) => {
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

/** Turns errors of the file system into user-facing errors: they are not bugs in Assay. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new RunError(`cannot write the report ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
