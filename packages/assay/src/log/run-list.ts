/**
 * The list of a project's runs, `.assay/runs.jsonl`. It has one line per run, with the run's id and folder, so that
 * Assay can find a run wherever its folder is. The line is added when the run starts. The list says only where to look;
 * the start time is read from the run itself. A line is ignored if it cannot be read, if its folder is gone, or if the
 * folder now contains another run. Without the list, Assay still finds the runs in the runs folder.
 *
 * Lines are only added, each with one write. So two runs that start at the same time do not overwrite each other's
 * line.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  readSync,
  writeSync,
  type Stats,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { checkOwnFolder, openOwn } from './own-file.ts'

export interface ListedRun {
  readonly id: string
  /** A path that can be opened from the current working directory. */
  readonly folder: string
}

/** The maximum number of bytes that are read, from the end of the list. They hold tens of thousands of runs. */
const MOST_BYTES = 4 * 1024 * 1024

const NEWLINE = 0x0a

/** Returns the runs in the order in which they were added. Empty if there is no list, or if the list cannot be read. */
export function readRunList(list: string): ListedRun[] {
  let text: string
  try {
    text = opened(list, constants.O_RDONLY, (fd, { size }) => {
      const bytes = Buffer.alloc(Math.min(size, MOST_BYTES))
      const length = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
      return bytes.toString('utf8', 0, length)
    })
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => readLine(line, projectOf(list)) ?? [])
}

/** Adds a run unless the list has it already. Throws if the list cannot be written. */
export function addToRunList(list: string, { id, folder }: ListedRun): void {
  const line = JSON.stringify({ id, folder: storedPath(folder, projectOf(list)) })
  const isThere = readRunList(list).some(
    (one) => one.id === id && resolve(one.folder) === resolve(folder),
  )
  if (isThere) return
  makeFolder(dirname(list))
  opened(list, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, (fd, { size }) => {
    const last = Buffer.alloc(1)
    if (size > 0) readSync(fd, last, 0, 1, size - 1)
    // If the last line is incomplete, a newline separates it from the new line. Otherwise both would be unreadable.
    const isCut = size > 0 && last[0] !== NEWLINE
    const bytes = Buffer.from(`${isCut ? '\n' : ''}${line}\n`)
    if (writeSync(fd, bytes) < bytes.length) throw new Error('no space left on the disk')
  })
}

function opened<T>(list: string, flags: number, work: (fd: number, stats: Stats) => T): T {
  checkOwnFolder(dirname(list))
  const fd = openOwn(list, flags)
  try {
    return work(fd, fstatSync(fd))
  } finally {
    closeSync(fd)
  }
}

function readLine(line: string, project: string): ListedRun | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { id, folder } = value as { id?: unknown; folder?: unknown }
  if (typeof id !== 'string' || typeof folder !== 'string' || folder === '') return null
  return { id, folder: isAbsolute(folder) ? folder : join(project, folder) }
}

/** Returns the project's folder, which is the folder that contains `.assay`. */
const projectOf = (list: string): string => dirname(dirname(list))

/**
 * Returns the path that the list stores. A path inside the project is stored relative to the project, so that the whole
 * project can be moved.
 */
function storedPath(folder: string, project: string): string {
  const path = relative(project, folder)
  const isInside = path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
  return isInside ? path || '.' : resolve(folder)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
