/**
 * Writes single files into an untrusted folder. If a part of a file's path is a link, the link is replaced and never
 * followed. So nothing is written outside of the folder.
 */
import {
  chmodSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  constants,
  symlinkSync,
  writeSync,
} from 'node:fs'
import type { FileMode } from '@assay/contract'
import type { Owner as SandboxOwner } from '@assay/sandbox'
import { removeTree } from './remove.ts'

/** The owner that new files get. Null means the user of this process. */
export type Owner = SandboxOwner | null

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
export const FOLDER_BITS = 0o755
export const bitsOf = (isProgram: boolean): number => (isProgram ? 0o755 : 0o644)

/**
 * Returns the mode for a file whose text comes from a suite. Suites contain no file modes, so a file is
 * executable if it begins with `#!`.
 */
export const modeOfText = (text: string): FileMode => (text.startsWith('#!') ? '100755' : '100644')

export function placeFile(
  root: string,
  path: string,
  content: string | Uint8Array,
  mode: FileMode,
  owner: Owner,
): void {
  const target = makeLocation(root, path, owner)
  if (mode === '120000') {
    const end = typeof content === 'string' ? content : Buffer.from(content)
    replacing(target, () => symlinkSync(end, target))
    if (owner !== null) lchownSync(target, owner.uid, owner.gid)
    return
  }
  const file = createFile(target, bitsOf(mode === '100755'), owner)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
  } finally {
    closeSync(file)
  }
}

/**
 * Removes whatever exists at the path. Does nothing if a parent of the path is a link or file instead of a
 * folder.
 */
export function removeAt(root: string, path: string): void {
  const steps = stepsOf(path)
  let at = root
  for (const step of steps.slice(0, -1)) {
    at += `/${step}`
    if (!isFolder(at)) return
  }
  removeTree(`${root}/${steps.join('/')}`)
}

/** Returns the full path of a regular file. Returns null if the path leads to anything else. */
export function fileAt(root: string, path: string): string | null {
  const steps = stepsOf(path)
  let at = root
  for (const step of steps.slice(0, -1)) {
    at += `/${step}`
    if (!isFolder(at)) return null
  }
  at += `/${steps.at(-1)}`
  return lstatSync(at, { throwIfNoEntry: false })?.isFile() === true ? at : null
}

/** Creates a file and returns its descriptor. Replaces whatever exists at the path. */
export function createFile(target: string, bits: number, owner: Owner): number {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  const file = replacing(target, () => openSync(target, flags, bits))
  if (owner !== null) fchownSync(file, owner.uid, owner.gid)
  // The umask of this process may have removed some permissions, so they are set explicitly.
  if ((fstatSync(file).mode & 0o777) !== bits) fchmodSync(file, bits)
  return file
}

/** Calls `make`. If something already exists at the target, removes it and calls `make` once more. */
export function replacing<T>(target: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!['EEXIST', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    removeTree(target)
    return make()
  }
}

/**
 * Creates all parent folders of the path. A link or file in place of a parent folder is replaced. Returns the full
 * path.
 */
export function makeLocation(root: string, path: string, owner: Owner): string {
  const steps = stepsOf(path)
  let at = root
  for (const step of steps.slice(0, -1)) {
    at += `/${step}`
    makeFolder(at, owner)
  }
  return `${at}/${steps.at(-1)}`
}

/** Creates a folder in place of whatever exists at the path. An existing folder is kept. */
export function makeFolder(path: string, owner: Owner): void {
  if (isFolder(path)) return
  replacing(path, () => mkdirSync(path))
  if (owner !== null) lchownSync(path, owner.uid, owner.gid)
  if ((lstatSync(path).mode & 0o777) !== FOLDER_BITS) chmodSync(path, FOLDER_BITS)
}

function stepsOf(path: string): string[] {
  const steps = path.split('/')
  if (path.includes('\0') || steps.some((step) => ['', '.', '..'].includes(step)))
    throw new Error(`${JSON.stringify(path)} is not a path in a workspace`)
  return steps
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
