/**
 * Packs a folder or a git commit into bytes that can be sent to another machine, and unpacks them there. A workspace
 * starts from such a folder or commit. The other machine gets only what the case needs: of a repository, the commit and
 * as many earlier commits as the case says.
 */
import { mkdirSync, readFileSync, readlinkSync, lstatSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FileMode, GitSource } from '@assay/contract'
import { makeOwnedFolder } from '@assay/sandbox'
import { makeFolder, makeLocation, placeFile } from './files/location.ts'
import { removeTree } from './files/remove.ts'
import { walk } from './files/walk.ts'
import { fetchCommit } from './git-source.ts'
import { WorkspaceError } from './workspace-error.ts'

/** The most bytes that an unpacked folder may have. A small compressed text could otherwise fill the memory. */
const MOST_BYTES = 1024 * 1024 * 1024
/** The time limit for git, which may have to fetch the commit over the network first. */
const GIT_MS = 600_000

interface Entry {
  readonly path: string
  readonly mode: FileMode | '040000'
  readonly bytes: number
}

/** Packs a folder. The paths in `without` are left out, with everything below them. */
export async function packFolder(
  folder: string,
  without: readonly string[] = [],
): Promise<Uint8Array> {
  const left = new Set(without)
  const found = [...walk(folder, { skips: (path) => left.has(path) })]
  found.sort((a, b) => (a.path < b.path ? -1 : 1))
  const entries: Entry[] = []
  const contents: Buffer[] = []
  for (const { path, kind } of found) {
    if (kind === 'folder') {
      entries.push({ path, mode: '040000', bytes: 0 })
      continue
    }
    const full = `${folder}/${path}`
    const isLink = kind === 'link'
    const content = isLink ? Buffer.from(readlinkSync(full)) : readFileSync(full)
    const isProgram = !isLink && (lstatSync(full).mode & 0o100) !== 0
    const mode = isLink ? '120000' : isProgram ? '100755' : '100644'
    entries.push({ path, mode, bytes: content.length })
    contents.push(content)
  }
  const head = Buffer.from(`${JSON.stringify(entries)}\n`)
  return promisify(gzip)(Buffer.concat([head, ...contents]))
}

/** Unpacks into a new folder. Throws a `WorkspaceError` if the bytes were not made by `packFolder`. */
export async function unpackFolder(packed: Uint8Array, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  try {
    const bytes = await promisify(gunzip)(packed, { maxOutputLength: MOST_BYTES })
    const end = bytes.indexOf('\n')
    const entries = JSON.parse(bytes.toString('utf8', 0, end)) as readonly Entry[]
    let at = end + 1
    for (const { path, mode, bytes: size } of entries) {
      if (mode === '040000') makeFolder(makeLocation(folder, path, null), null)
      else placeFile(folder, path, bytes.subarray(at, at + size), mode, null)
      at += size
    }
    if (at !== bytes.length) throw new Error('its files do not have the sizes that it says')
  } catch (error) {
    throw new WorkspaceError(`a packed folder is damaged: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Packs a repository with the commit and as many earlier commits as the case says. It contains nothing else. */
export async function packCommit(
  source: GitSource,
  signal: AbortSignal,
  onFetch?: (text: string) => void,
): Promise<Uint8Array> {
  const spare = makeOwnedFolder('assay-git')
  try {
    const options = { spare: `${spare}/spare`, timeoutMs: () => GIT_MS, signal, onFetch }
    await fetchCommit(source, `${spare}/packed`, options)
    return await packFolder(`${spare}/packed`)
  } finally {
    removeTree(spare)
  }
}
