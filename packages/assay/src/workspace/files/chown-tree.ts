/** Gives a folder, with all that is in it, to another user, and opens to its owner what was closed. */
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

/** Who we are; null on a system without such numbers. */
export function ourselves(): Owner | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  return uid === undefined || gid === undefined ? null : { uid, gid }
}
