/**
 * Reads a file of lines as a stream, in bounded memory. A last line without its newline, or one that does not
 * parse, is a write that was cut short: it is dropped and its place is reported, so that a writer can go on from
 * there. Any other line that is not as it was written is damage: skipped, counted and named.
 */
import { createReadStream } from 'node:fs'
import type { Identity } from '@assay/contract'
import { openOwn } from './own-file.ts'

/** A line that is not as it was written. */
export interface DamagedLine {
  /** From 1, as editors count. */
  readonly line: number
  /** Whose trial it says it is; null where that cannot be read. */
  readonly trial: Identity | null
}

export interface LinesRead {
  /** Bytes up to the end of the last whole line. */
  length: number
  /** A last line was cut short and dropped. */
  torn: boolean
  /** Lines inside the file that could not be read, or are not as they were written. */
  damaged: number
  /** The first of these. */
  readonly damagedLines: DamagedLine[]
}

/** What is wrong with a line. */
export interface LineFault {
  /** At the end of the file, a line that does not parse is a torn write. */
  readonly parses: boolean
  readonly trial: Identity | null
}

const NEWLINE = 0x0a
const RETURN = 0x0d
/** No honest line is longer: large texts live in blobs. */
const LONGEST_LINE = 64 * 1024 * 1024
/** Lines that are named; of more, only the number is told. */
const MOST_NAMED = 20

/** Calls `take` with every line, in order; it says what is wrong with the line. A missing file reads as an empty one. */
export async function readLines(
  path: string,
  take: (bytes: Buffer) => LineFault | null,
): Promise<LinesRead> {
  const read: LinesRead = { length: 0, torn: false, damaged: 0, damagedLines: [] }
  let number = 0
  let rest: Buffer[] = []
  let restBytes = 0
  /** The lines just before that do not parse: damage unless nothing follows. */
  let unparsed: DamagedLine[] = []
  let unparsedBytes = 0

  const damaged = (line: DamagedLine): void => {
    read.damaged++
    if (read.damagedLines.length < MOST_NAMED) read.damagedLines.push(line)
  }
  const line = (bytes: Buffer, size: number): void => {
    number++
    const ended = bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
    if (ended.length === 0) {
      unparsedBytes += size
      return
    }
    const fault = take(ended)
    if (fault?.parses === false) {
      unparsed.push({ line: number, trial: fault.trial })
      unparsedBytes += size
      return
    }
    for (const one of unparsed) damaged(one)
    unparsed = []
    read.length += unparsedBytes + size
    unparsedBytes = 0
    if (fault !== null) damaged({ line: number, trial: fault.trial })
  }

  try {
    for await (const chunk of createReadStream(path, {
      fd: openOwn(path),
      highWaterMark: 1 << 20,
    }) as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const tail = chunk.subarray(start, end)
        line(restBytes === 0 ? tail : Buffer.concat([...rest, tail]), restBytes + tail.length + 1)
        rest = []
        restBytes = 0
        start = end + 1
      }
      // What is beyond the limit is counted but not kept: such a line will not parse, and is damage.
      if (restBytes < LONGEST_LINE) rest.push(chunk.subarray(start))
      restBytes += chunk.length - start
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  read.torn = restBytes > 0 || unparsed.length > 0
  // Empty lines at the end are nobody's.
  if (unparsed.length === 0) read.length += unparsedBytes
  return read
}
