/**
 * Turns the start of a workspace into the state in which a trial left it. It deletes files first, so that a
 * folder can replace a file and a file can replace a folder. Then it writes added and changed files. Then
 * `stageTexts` writes the hidden files and replaces whatever the agent has put at their paths. Permissions are set last,
 * and only those of files: a folder that the agent has closed must not keep graders from the hidden files in it.
 */
import { chmodSync } from 'node:fs'
import type { WorkspaceDiff } from '@assay/contract'
import {
  fileAt,
  makeFolder,
  makeLocation,
  modeOfText,
  placeFile,
  removeAt,
  type Owner,
} from '../files/location.ts'

/** What a trial changed, as far as it can be made again. */
export type Work = Pick<WorkspaceDiff, 'changes' | 'folders' | 'permissions'>

export function applyChanges(folder: string, { changes, folders = [] }: Work, owner: Owner): void {
  for (const { path, change } of [...changes, ...folders])
    if (change === 'deleted') removeAt(folder, path)
  for (const { path, mode = '100644', text, base64 } of changes) {
    if (text !== undefined) placeFile(folder, path, text, mode, owner)
    else if (base64 !== undefined)
      placeFile(folder, path, Buffer.from(base64, 'base64'), mode, owner)
  }
  for (const { path, change } of folders)
    if (change === 'added') makeFolder(makeLocation(folder, path, owner), owner)
}

/** Sets the permissions of files, except those of the hidden ones. No bits are set that change the user. */
export function applyPermissions(
  folder: string,
  { permissions = {} }: Work,
  hidden: Readonly<Record<string, string>>,
): void {
  for (const [path, bits] of Object.entries(permissions)) {
    const at = Object.hasOwn(hidden, path) ? null : fileAt(folder, path)
    if (at !== null) chmodSync(at, Number.parseInt(bits, 8) & 0o777)
  }
}

export function stageTexts(
  folder: string,
  texts: Readonly<Record<string, string>>,
  owner: Owner,
): void {
  for (const [path, text] of Object.entries(texts))
    placeFile(folder, path, text, modeOfText(text), owner)
}
