/**
 * Writes a report to a file: beside it first, then moved into its place, so that whoever looks sees the old
 * file or the whole new one. Pieces are gathered to a few hundred kilobytes and written as they come;
 * nothing holds the whole.
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
    // One folder, not a tree: a tree is more likely a slip of the hand.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path))
    // What lies there may be a link that a folder from elsewhere brought.
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

/** A failure of the disk is the world's, not ours. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new RunError(`cannot write the report ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
