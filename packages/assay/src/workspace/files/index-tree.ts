/** What is in a start, for those who look at it without touching the disk again. */
import { readlinkSync } from 'node:fs'
import { walk } from './walk.ts'

/** By path: null for a file, for a link where it leads. */
export type Index = ReadonlyMap<string, string | null>

export function indexTree(folder: string): Index {
  const index = new Map<string, string | null>()
  for (const { path, kind } of walk(folder))
    if (kind === 'link') index.set(path, readlinkSync(`${folder}/${path}`))
    else if (kind === 'file') index.set(path, null)
  return index
}
