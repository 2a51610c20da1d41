/** Deletes a run folder, with everything in it. */
import { closeSync, readdirSync, readSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '@assay/contract'
import { isLocked, isRunFolder, LABELS_FILE, openOwn, WORKSPACES_FOLDER } from '../log/index.ts'

/** Throws `UsageError` if the folder is not a run any more, or if a process is writing to it. */
export function deleteRun(folder: string): void {
  const why = whyKept(folder)
  if (why !== null) throw new UsageError(why)
  rmSync(folder, { recursive: true })
}

/**
 * Returns why a folder is not deleted, or null. Anybody can put a run.json into a folder and name the folder in the
 * list of runs. So a folder that has other things as well, such as the user's project, is left to the user.
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

/** `.assay/runs` holds nothing but runs. Links count as the folder that they lead to, which may hold anything. */
const isInRuns = (folder: string): boolean => {
  const parent = dirname(realpathSync(folder))
  return basename(parent) === 'runs' && basename(dirname(parent)) === '.assay'
}

const PARTS = new Set([
  ...['run.json', 'trials.jsonl', 'trials.index', 'pending.jsonl', 'blobs', 'lock', 'heartbeat'],
  ...['tags.json', LABELS_FILE, WORKSPACES_FOLDER],
])
const REPORT = /^(?:report|cases|classes)\.(?:html|md|sarif|json|xml|csv)$/u

/** The ends of the names of files that a process which died has left. */
const LEFT = /\.\d+\.tmp$|\.[\w-]+\.(?:claim|\d*new)$/u

/** Whether Assay gives a part of a run, or a report, such a name. */
const isOfRun = (name: string): boolean => PARTS.has(name.replace(LEFT, '')) || REPORT.test(name)

/**
 * Whether Assay wrote the record. A damaged one can be deleted too, but not the project of another program that has a file
 * of this name.
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
