/**
 * The content of a file whose name came from a folder that nobody may have looked at: an ordinary file, and
 * never more of it than said, because the size that the system tells of a file in /proc is 0.
 */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openOwn } from '../log/index.ts'

const CHUNK_BYTES = 1024 * 1024

export class TooMuch extends Error {}

/** `path` is without links. Throws `TooMuch`, a `UsageError` where it is no ordinary file, or the system's error. */
export function readBounded(path: string, mostBytes: number): Buffer {
  const file = openOwn(path)
  try {
    const { size } = fstatSync(file)
    if (size > mostBytes) throw new TooMuch(path)
    const chunks: Buffer[] = []
    for (let bytes = 0; ;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - bytes, 0) + 4096))
      const length = readSync(file, chunk)
      if (length === 0) return Buffer.concat(chunks)
      bytes += length
      if (bytes > mostBytes) throw new TooMuch(path)
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(file)
  }
}
