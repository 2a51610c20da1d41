/** Finds the file that the user probably meant. */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { nearest } from '../text/index.ts'

/** Returns the path in the same folder with the most similar name. Null if nothing there has a similar name. */
export function nearestIn(path: string): string | null {
  try {
    const near = nearest(basename(path), readdirSync(dirname(path)))
    return near === null ? null : join(dirname(path), near)
  } catch {
    return null
  }
}
