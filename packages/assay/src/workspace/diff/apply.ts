/**
 * Makes a workspace's end from its start: what was deleted goes first, so that a folder can take the place
 * of a file and a file that of a folder; then what was added and changed; the hidden files last, over
 * whatever an agent has put in their places.
 */
import type { FileChange } from '@assay/contract'
import { modeOfText, placeFile, removeAt, type Owner } from '../files/location.ts'

export function applyChanges(folder: string, changes: readonly FileChange[], owner: Owner): void {
  for (const { path, change } of changes) if (change === 'deleted') removeAt(folder, path)
  for (const { path, mode = '100644', text, base64 } of changes) {
    if (text !== undefined) placeFile(folder, path, text, mode, owner)
    else if (base64 !== undefined)
      placeFile(folder, path, Buffer.from(base64, 'base64'), mode, owner)
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
