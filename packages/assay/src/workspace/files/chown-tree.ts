/** Changes the owner of a folder and everything in it, and makes sure that the owner can read and write all of it. */
import { chmodSync, lchownSync, lstatSync } from 'node:fs'
import type { Owner } from '@assay/sandbox'
import { walk } from './walk.ts'

export function chownTree(folder: string, { uid, gid }: Owner): void {
  const hand = (path: string, least: number): void => {
    const stats = lstatSync(path)
    if (stats.uid !== uid || stats.gid !== gid) lchownSync(path, uid, gid)
    if ((stats.mode & least) !== least) chmodSync(path, (stats.mode & 0o777) | least)
  }
  hand(folder, 0o700)
  for (const { path, kind } of walk(folder))
    hand(`${folder}/${path}`, kind === 'folder' ? 0o700 : kind === 'file' ? 0o600 : 0)
}

/** Returns the user and group of this process. Returns null on a system that has no such ids. */
export function ourselves(): Owner | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  return uid === undefined || gid === undefined ? null : { uid, gid }
}
