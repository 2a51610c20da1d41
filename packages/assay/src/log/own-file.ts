/**
 * Opens files that somebody else may have made: a run folder comes from another machine, a repository from a
 * stranger. A link could lead to any file of the user, a pipe waits for ever for somebody at its other end, and
 * a device never ends. So what lies inside such a folder must be the folder's own (no links at all), and what
 * is named, by the user or by a settings file, may be reached through links but must be an ordinary file.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { UsageError } from '@assay/contract'

/** Windows has neither. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as { O_NOFOLLOW?: number; O_NONBLOCK?: number }

/** Opens an ordinary file that is no link. The folders on the way are checked with `checkOwnFolder`. */
export const openOwn = (path: string, flags: number = constants.O_RDONLY): number =>
  openOrdinary(path, flags | O_NOFOLLOW)

/** Opens an ordinary file for reading, or what the shell made of `<(…)` and the standard input. */
export const openNamed = (path: string): number =>
  DESCRIPTOR.test(path) ? openSync(path, 'r') : openOrdinary(path, constants.O_RDONLY)

/** Only as it is typed: a link that leads there is not what the shell made. */
const DESCRIPTOR = /^\/(?:dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/

const MB = 1024 * 1024
/** More than any report. A text of the system, such as one below /proc, says that it is empty and may never end. */
const MOST_TEXT = 256 * MB

export const readNamed = (path: string): string => readBytes(path, MOST_TEXT).toString('utf8')

/** Throws a `UsageError` where there is more. */
export function readBytes(path: string, most: number): Buffer {
  const fd = openNamed(path)
  try {
    const chunks: Buffer[] = []
    for (let bytes = 0; ;) {
      const chunk = Buffer.allocUnsafe(Math.min(MB, most + 1))
      const length = readSync(fd, chunk)
      if (length === 0) return Buffer.concat(chunks)
      bytes += length
      if (bytes > most)
        throw new UsageError(`${path} is too large: at most ${Math.floor(most / MB)} MB are read`)
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(fd)
  }
}

/** Refuses what is there unless it is a folder and no link. */
export function checkOwnFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() === true) throw isLink(path)
  if (stats?.isDirectory() === false) throw new UsageError(`${path} is not a folder`)
}

/** Refuses what is there unless it is an ordinary file and no link. */
export function checkOwnFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() === true) throw isLink(path)
  if (stats?.isFile() === false) throw isStrange(path)
}

function openOrdinary(path: string, flags: number): number {
  let fd: number
  try {
    fd = openSync(path, flags | O_NONBLOCK, 0o666)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP') throw isLink(path)
    // A pipe that nobody reads, a socket, a folder.
    if (code === 'ENXIO' || code === 'EISDIR') throw isStrange(path)
    throw error
  }
  try {
    if (!fstatSync(fd).isFile()) throw isStrange(path)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const isLink = (path: string): UsageError =>
  new UsageError(`${path} is a symbolic link, which is not followed here`)

const isStrange = (path: string): UsageError => new UsageError(`${path} is not an ordinary file`)
