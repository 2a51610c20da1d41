/** Computes the hash of a file in a suite's folder. The hash of a case includes the hashes of its graders' files. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { realPathIn } from '@assay/sandbox'

const MOST_BYTES = 64 * 1024 * 1024

/**
 * Returns the hash of the file. Returns null if the path is not a regular file, if the file is too large, or if it
 * is a link that leads out of the repository.
 */
export async function fileHash(folder: string, file: string): Promise<string | null> {
  const path = realPathIn(folder, file)
  if (path === null) return null
  try {
    const found = await stat(path)
    if (!found.isFile() || found.size > MOST_BYTES) return null
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  } catch {
    return null
  }
}
