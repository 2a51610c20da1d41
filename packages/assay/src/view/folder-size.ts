/** Computes the total size of the files in a folder, in bytes. Links are not followed. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function folderSize(folder: string): number {
  let bytes = 0
  const queue = [folder]
  for (let path = queue.pop(); path !== undefined; path = queue.pop())
    try {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const inside = join(path, entry.name)
        if (entry.isDirectory()) queue.push(inside)
        else bytes += lstatSync(inside).size
      }
    } catch {
      // A file was deleted in the meantime, or cannot be read. The other files are still counted.
    }
  return bytes
}
