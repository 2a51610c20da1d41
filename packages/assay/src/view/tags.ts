/**
 * Reads and writes the tags that the user gave a run, in `tags.json` of its folder. They are not in `run.json`,
 * because only the run itself writes that file.
 */
import { rmSync, writeFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@assay/contract'
import { checkOwnFile, readOwn } from '../log/index.ts'

const TAGS_FILE = 'tags.json'
const MOST_BYTES = 64 * 1024
const MOST_TAGS = 50
const MOST_LENGTH = 60

/** Returns the tags. If the file is missing or cannot be read, returns none, because tags only help to find runs. */
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

/**
 * Replaces the tags of a run. Throws `UsageError` for a tag that is too long or contains spaces or other special
 * characters.
 */
export function writeTags(folder: string, tags: readonly string[]): void {
  const all = [...new Set(tags)].toSorted()
  if (all.length > MOST_TAGS) throw new UsageError(`a run has at most ${MOST_TAGS} tags`)
  for (const tag of all)
    if (!/^[\p{L}\p{N}][\p{L}\p{N}._/:-]*$/u.test(tag) || tag.length > MOST_LENGTH)
      throw new UsageError(
        `${JSON.stringify(tag)} is not a tag: expected up to ${MOST_LENGTH} letters, digits and . _ / : -`,
      )
  const path = join(folder, TAGS_FILE)
  checkOwnFile(path)
  if (all.length === 0) {
    rmSync(path, { force: true })
    return
  }
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(all)}\n`, { flag: 'wx' })
  renameSync(temporary, path)
}
