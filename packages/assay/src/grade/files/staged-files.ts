/**
 * Writes the files of an answer to a temporary folder, from which a sandboxed program copies them. Other users
 * cannot enter the outer folder. The files inside are readable for everybody, because the sandbox runs programs as
 * another user. The case's own files are written first, and an answer's file never replaces them.
 */
import { chmod, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeOwnedFolder } from '@assay/sandbox'
import { pathFault } from './file-path.ts'

const MOST_BYTES = 32 * 1024 * 1024

export interface StagedFiles {
  /** The absolute path of the folder, with all links resolved. */
  readonly folder: string
  remove(): Promise<void>
}

/** Thrown if the answer's files are too large, or if they conflict with each other or with the files of the case. */
export class UnlaidError extends Error {
  override readonly name = 'UnlaidError'
}

/**
 * Writes the suite's own files and the answer's files to a temporary folder. Throws an `UnlaidError` if the answer's
 * files cannot be written.
 */
export async function stageFiles(
  own: Readonly<Record<string, string>>,
  answer: ReadonlyMap<string, string>,
): Promise<StagedFiles> {
  const outer = await realpath(makeOwnedFolder('assay-files'))
  const remove = (): Promise<void> => rm(outer, { recursive: true, force: true, maxRetries: 3 })
  const folder = join(outer, 'files')
  try {
    await mkdir(folder)
    await chmod(folder, 0o755)
    for (const [path, text] of Object.entries(own)) await write(folder, path, text)
    let bytes = 0
    for (const [path, text] of answer) {
      if (Object.hasOwn(own, path)) continue
      bytes += Buffer.byteLength(text)
      if (bytes > MOST_BYTES) throw new UnlaidError(`has files of more than ${MOST_BYTES} bytes`)
      await write(folder, path, text).catch((error: NodeJS.ErrnoException) => {
        const clashes = ['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')
        throw clashes ? new UnlaidError(`has a file ${JSON.stringify(path)} that cannot be`) : error
      })
    }
    return { folder, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Writes a file that everybody can read and execute. It must be executable, because it may be a script. */
async function write(folder: string, path: string, text: string): Promise<void> {
  if (pathFault(path) !== null)
    throw new UnlaidError(`has a file ${JSON.stringify(path)} outside of its folder`)
  const file = join(folder, path)
  const steps = path.split('/').slice(0, -1)
  for (const [i] of steps.entries()) {
    const step = join(folder, ...steps.slice(0, i + 1))
    await mkdir(step, { recursive: true })
    await chmod(step, 0o755)
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await chmod(file, 0o755)
}
