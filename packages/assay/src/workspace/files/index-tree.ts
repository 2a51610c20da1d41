/** Lists the files and links of a start. Graders look them up in this list without reading the disk again. */
import { readlinkSync } from 'node:fs'
import { walk } from './walk.ts'

/** The files and links by path. The value is null for a file, and the target for a link. */
export type Index = ReadonlyMap<string, string | null>

export function indexTree(folder: string): Index {
  const index = new Map<string, string | null>()
  for (const { path, kind } of walk(folder))
    if (kind === 'link') index.set(path, readlinkSync(`${folder}/${path}`))
    else if (kind === 'file') index.set(path, null)
  return index
}
