/**
 * Reads a file of lines as a stream, in bounded memory. If the last line has no newline or does not parse, the process
 * that wrote it was interrupted. That line is dropped, and its offset is reported, so that a writer can continue there.
 * Any other line whose content is not what was written is damaged. Damaged lines are skipped, counted and reported.
 */
import { closeSync, read as readBytes } from 'node:fs'
import { promisify } from 'node:util'
import type { Identity } from '@assay/contract'
import { openOwn } from './own-file.ts'

/** A damaged line: its content is not what was written. */
export interface DamagedLine {
  /** The line number, from 1 as in editors. */
  readonly line: number
  /** The trial that the line is about. Null if the line does not show it. */
  readonly trial: Identity | null
}

export interface LinesRead {
  /** The number of bytes up to the end of the last complete line. */
  length: number
  /** Whether the last line was incomplete and was dropped. */
  torn: boolean
  /** The number of damaged lines. */
  damaged: number
  /** The first damaged lines, at most 20. */
  readonly damagedLines: DamagedLine[]
}

/** What is wrong with a line. */
export interface LineFault {
  /**
   * False if the line is not valid JSON. At the end of the file, a line that is not valid JSON is an interrupted write,
   * not damage.
   */
  readonly parses: boolean
  readonly trial: Identity | null
}

/** Where reading begins. After reading, where it ended: after the last complete line. */
export interface Position {
  offset: number
  /** The number of lines before this position. */
  line: number
}

export type SeePiece = (piece: Buffer) => void | Promise<void>

const readInto = promisify(readBytes)
const PIECE = 1 << 20

const NEWLINE = 0x0a
const RETURN = 0x0d
/**
 * The maximum length of a line. Assay writes no longer line, because it stores large texts in separate files (blobs).
 */
const LONGEST_LINE = 64 * 1024 * 1024
/** The maximum number of damaged lines that are listed. If there are more, the others are only counted. */
const MOST_NAMED = 20

/**
 * Calls `take` with each line, in order, and with the offset at which the line begins. The line's buffer is valid only
 * during the call. `take` returns what is wrong with the line, or null. `seen` gets all bytes of the file, in chunks.
 * If it returns a promise, reading continues when the promise resolves. A missing file is read as an empty file. If
 * `from` is given, reading begins there, and `from` is changed to the position where reading ended.
 */
export async function readLines(
  path: string,
  take: (bytes: Buffer, start: number) => LineFault | null,
  seen?: SeePiece,
  from: Position = { offset: 0, line: 0 },
): Promise<LinesRead> {
  const read: LinesRead = { length: from.offset, torn: false, damaged: 0, damagedLines: [] }
  let number = from.line
  let rest: Buffer[] = []
  let restBytes = 0
  /**
   * The latest lines that do not parse. If another line follows them, they are damaged. At the end of the file, they
   * are an interrupted write.
   */
  let unparsed: DamagedLine[] = []
  let unparsedBytes = 0

  const damaged = (line: DamagedLine): void => {
    read.damaged++
    if (read.damagedLines.length < MOST_NAMED) read.damagedLines.push(line)
  }
  /** The offset of the next line. */
  let { offset } = from
  const line = (bytes: Buffer, size: number): void => {
    number++
    const start = offset
    offset += size
    const ended = bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
    if (ended.length === 0) {
      unparsedBytes += size
      return
    }
    const fault = take(ended, start)
    if (fault?.parses === false) {
      unparsed.push({ line: number, trial: fault.trial })
      unparsedBytes += size
      return
    }
    for (const one of unparsed) damaged(one)
    unparsed = []
    read.length += unparsedBytes + size
    unparsedBytes = 0
    from.offset = read.length
    from.line = number
    if (fault !== null) damaged({ line: number, trial: fault.trial })
  }

  const fd = openedOrNone(path)
  if (fd !== null)
    try {
      await eachPiece(fd, from.offset, (chunk) => {
        const wait = seen?.(chunk)
        let start = 0
        for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
          const tail = chunk.subarray(start, end)
          line(restBytes === 0 ? tail : Buffer.concat([...rest, tail]), restBytes + tail.length + 1)
          rest = []
          restBytes = 0
          start = end + 1
        }
        // If a line is longer than the limit, the rest of it is counted but not kept. Such a line does not parse, so it
        // counts as damaged.
        if (restBytes < LONGEST_LINE) rest.push(Buffer.from(chunk.subarray(start)))
        restBytes += chunk.length - start
        return wait
      })
    } finally {
      closeSync(fd)
    }
  read.torn = restBytes > 0 || unparsed.length > 0
  // Empty lines at the end of the file do not count as damage.
  if (unparsed.length === 0) read.length += unparsedBytes
  return read
}

/**
 * Reads the file from an offset on, through one buffer. The garbage collector frees buffers late, so a new buffer for
 * each chunk would use a lot of memory.
 */
async function eachPiece(fd: number, from: number, take: SeePiece): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE)
  for (let at = from; ;) {
    const { bytesRead } = await readInto(fd, piece, 0, PIECE, at)
    if (bytesRead === 0) return
    at += bytesRead
    await take(piece.subarray(0, bytesRead))
  }
}

function openedOrNone(path: string): number | null {
  try {
    return openOwn(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
