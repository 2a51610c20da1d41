/** Deletes a run folder, with everything in it. */
import { closeSync, readdirSync, readSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '@assay/contract'
import { isLocked, isRunFolder, LABELS_FILE, openOwn, WORKSPACES_FOLDER } from '../log/index.ts'

/** Deletes the folder. Throws `UsageError` if the folder does not contain a run, or if a process is writing to it. */
export function deleteRun(folder: string): void {
  const why = whyKept(folder)
  if (why !== null) throw new UsageError(why)
  rmSync(folder, { recursive: true })
}

/**
 * Returns why a folder must not be deleted, or null if it may be. Anybody can put a run.json into a folder, so that
 * the list of runs shows the folder. So a folder that contains other things too, such as the user's project, is not
 * deleted. The user can delete it by hand.
 */
export function whyKept(folder: string): string | null {
  if (!isRunFolder(folder)) return `${folder} is not a run`
  if (!isOurs(folder))
    return `${folder} has a run.json that Assay did not write; delete the folder by hand`
  if (isLocked(folder)) return `${folder} is being written; stop the run before you delete it`
  const other = isInRuns(folder) ? undefined : readdirSync(folder).find((name) => !isOfRun(name))
  if (other === undefined) return null
  return `${folder} has more than a run in it, such as ${other}; delete it by hand`
}

/**
 * Whether the folder is in `.assay/runs`, which contains only runs. Links are resolved first, because a link in it
 * may lead to any folder.
 */
const isInRuns = (folder: string): boolean => {
  const parent = dirname(realpathSync(folder))
  return basename(parent) === 'runs' && basename(dirname(parent)) === '.assay'
}

const PARTS = new Set([
  ...['run.json', 'trials.jsonl', 'trials.index', 'pending.jsonl', 'blobs', 'lock', 'heartbeat'],
  ...['tags.json', LABELS_FILE, WORKSPACES_FOLDER],
])
const REPORT = /^(?:report|cases|classes)\.(?:html|md|sarif|json|xml|csv)$/u

/** Matches the ends of temporary file names. A process that died may have left such files. */
const LEFT = /\.\d+\.tmp$|\.[\w-]+\.(?:claim|\d*new)$/u

/** Whether this is a name that Assay gives to a part of a run or to a report. */
const isOfRun = (name: string): boolean => PARTS.has(name.replace(LEFT, '')) || REPORT.test(name)

/**
 * Whether Assay wrote the run.json in the folder. Another program may use a file of this name, and its folder must
 * not be deleted. A damaged file of Assay counts, so that a damaged run can be deleted.
 */
function isOurs(folder: string): boolean {
  const start = Buffer.alloc(200)
  const file = openOwn(join(folder, 'run.json'))
  try {
    const length = readSync(file, start, 0, start.length, 0)
    return /^\s*\{\s*"assay":\s*"run"/u.test(start.toString('utf8', 0, length))
  } finally {
    closeSync(file)
  }
}
