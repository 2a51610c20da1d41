/**
 * Reads a file whose name comes from an untrusted folder. It must be a regular file. The limit is also
 * checked while reading, because the system reports a size of 0 for files in /proc.
 */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openOwn } from '../log/index.ts'

const CHUNK_BYTES = 1024 * 1024

export class TooMuch extends Error {}

/**
 * Returns the content. `path` must not contain symbolic links. Throws `TooMuch`, a `UsageError` if it is not
 * a regular file, or the system's error.
 */
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
