/**
 * Turns the start of a workspace into the state in which a trial left it. `applyChanges` deletes files first, so that a
 * folder can replace a file and a file can replace a folder. Then it writes added and changed files. `stageTexts` then
 * writes the hidden files, which graders need, and replaces whatever the agent has put at their paths.
 * `applyPermissions` comes last. It sets only permissions of files. An agent that closed a folder could otherwise hide
 * the files in it from graders.
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

/** The part of a trial's changes that can be applied to a start again. */
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

/**
 * Sets the permissions of files, except those of hidden files. Bits that make a program run as another user are not
 * set.
 */
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
