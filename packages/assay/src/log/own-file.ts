/**
 * Opens files that another person may have made, in a run folder from another machine or in an untrusted repository. A
 * symbolic link could lead to any file of the user. Opening a pipe waits forever for a process at its other end, and
 * reading a device never ends. So two rules apply. Inside an untrusted folder, no links are followed at all. A file
 * that the user or a settings file names may be reached through links, but must be an ordinary file.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { UsageError } from '@assay/contract'

/** Windows has neither of these flags, so they are 0 there. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as { O_NOFOLLOW?: number; O_NONBLOCK?: number }

/** Opens an ordinary file that is not a link. Callers check the folders on its path with `checkOwnFolder`. */
export const openOwn = (path: string, flags: number = constants.O_RDONLY): number =>
  openOrdinary(path, flags | O_NOFOLLOW)

/** Opens an ordinary file for reading. Also accepts the standard input and the pipes that a shell makes for `<(…)`. */
export const openNamed = (path: string): number =>
  DESCRIPTOR.test(path) ? openSync(path, 'r') : openOrdinary(path, constants.O_RDONLY)

/**
 * The paths of the standard input and of a shell's pipes. Only a path that the user typed in this form is accepted. A
 * link that leads to such a path is refused.
 */
const DESCRIPTOR = /^\/(?:dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/

const MB = 1024 * 1024
/**
 * The maximum number of bytes that are read from a file that the user names. It is larger than any report. It is needed
 * because a file in /proc reports a size of 0 and may never end.
 */
const MOST_TEXT = 256 * MB

export const readNamed = (path: string): string => readBytes(path, MOST_TEXT).toString('utf8')

/** Thrown if a file has more bytes than the limit of the reader. */
export class TooLarge extends UsageError {}

/** Reads a file that the user or a settings file names. Throws `TooLarge` if it has more than `most` bytes. */
export const readBytes = (path: string, most: number): Buffer =>
  readAll(openNamed(path), path, most)

/** Reads a file in an untrusted folder, and follows no links. Throws `TooLarge` if it has more than `most` bytes. */
export const readOwn = (path: string, most: number): Buffer => readAll(openOwn(path), path, most)

/**
 * Reads until the end of the file. Checks the limit while reading, because the system reports a size of 0 for files in
 * /proc.
 */
function readAll(fd: number, path: string, most: number): Buffer {
  try {
    const { size } = fstatSync(fd)
    const chunks: Buffer[] = []
    for (let bytes = 0; ;) {
      const chunk = Buffer.allocUnsafe(Math.min(MB, Math.max(size - bytes, 0) + 4096))
      const length = readSync(fd, chunk)
      if (length === 0) return Buffer.concat(chunks)
      bytes += length
      if (bytes > most || size > most)
        throw new TooLarge(`${path} is too large: at most ${Math.floor(most / MB)} MB are read`)
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(fd)
  }
}

/** Throws if the path exists and is not a folder, or is a link to one. */
export function checkOwnFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() === true) throw isLink(path)
  if (stats?.isDirectory() === false) throw new UsageError(`${path} is not a folder`)
}

/** Throws if the path exists and is not an ordinary file, or is a link to one. */
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
    // The path is a pipe that no process reads, a socket, or a folder.
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
