/**
 * The tags that the user gave a run, in `tags.json` of its folder. They are not in `run.json`, because only the run
 * itself writes that.
 */
import { join } from 'node:path'
import { readOwn } from '../log/index.ts'

const TAGS_FILE = 'tags.json'
const MOST_BYTES = 64 * 1024
const MOST_TAGS = 50

/** Returns no tags if there is no such file or if it is not readable: tags are only a help for finding runs. */
export function readTags(folder: string): string[] {
  try {
    const value: unknown = JSON.parse(readOwn(join(folder, TAGS_FILE), MOST_BYTES).toString('utf8'))
    return Array.isArray(value)
      ? value.filter((one) => typeof one === 'string' && one !== '').slice(0, MOST_TAGS)
      : []
  } catch {
    return []
  }
}
