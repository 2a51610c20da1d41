/**
 * The list of a project's runs, `.assay/runs.jsonl`: a line for each run with its id and its folder, added
 * when the run starts, so that a run is found wherever its folder is. It only says where to look. When a run
 * was started is read from the run itself, a folder that is gone or holds another run by now is passed over,
 * and so is a line that cannot be read. Without the list, the runs in the runs folder are still found.
 *
 * Lines are only ever added, each by one write, so that runs that start together do not lose one another.
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
  /** As it can be opened from where Assay runs. */
  readonly folder: string
}

/** Of a longer list the end is read: tens of thousands of runs. */
const MOST_BYTES = 4 * 1024 * 1024

const NEWLINE = 0x0a

/** The runs in the order they were added. Empty where there is no list, or none that can be read. */
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

/** Adds a run unless it is there. Throws where that is not possible. */
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
    // A line that was cut short must not take this one with it.
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

/** The project is where `.assay` is. */
const projectOf = (list: string): string => dirname(dirname(list))

/** Relative within the project, so that the project can be moved as a whole. */
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
