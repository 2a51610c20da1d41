/** Computes the hash of a file in a suite's folder. Files of graders are part of the case's hash. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { realPathIn } from '@assay/sandbox'

const MOST_BYTES = 64 * 1024 * 1024

/**
 * Returns the hash. Null if there is no regular file of modest size, or if it is a link that leads out of the
 * repository.
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
