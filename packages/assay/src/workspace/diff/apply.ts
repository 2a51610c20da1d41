/**
 * Turns the start of a workspace into the state in which a trial left it. It deletes files first, so that a
 * folder can replace a file and a file can replace a folder. Then it writes added and changed files.
 * `stageTexts` writes the hidden files last and replaces whatever the agent has put at their paths.
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
