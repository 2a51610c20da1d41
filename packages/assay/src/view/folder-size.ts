/** The number of bytes of the files in a folder. Links are not followed. */
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
      // Something was deleted in the meantime, or cannot be read. What remains is still counted.
    }
  return bytes
}
