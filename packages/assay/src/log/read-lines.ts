/**
 * Reads a file of JSON lines as a stream, in bounded memory. A last line without its newline, or one
 * that does not parse, is a write that was cut short: it is dropped and its place is reported, so that
 * a writer can go on from there. A line in the middle that does not parse is damage: skipped, counted.
 */
import { createReadStream } from 'node:fs'
import { openOwn } from './own-file.ts'

export interface LinesRead {
  /** Bytes up to the end of the last whole line. */
  length: number
  /** A last line was cut short and dropped. */
  torn: boolean
  /** Lines inside the file that could not be read. */
  damaged: number
}

const NEWLINE = 0x0a
/** No honest line is longer: large texts live in blobs. */
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * Calls `each` with every parsed line, in order, with its number from 0 among the readable ones.
 * A missing file reads as an empty one.
 */
export async function readLines(
  path: string,
  each: (value: unknown, number: number) => void,
): Promise<LinesRead> {
  const read: LinesRead = { length: 0, torn: false, damaged: 0 }
  let number = 0
  let rest: Buffer[] = []
  let restBytes = 0
  /** The line before the current one did not parse; only at the end of the file is that a torn write. */
  let unparsed = 0

  const line = (bytes: Buffer, size: number): void => {
    let value: unknown
    try {
      value = JSON.parse(bytes.toString('utf8'))
    } catch {
      unparsed += size
      return
    }
    if (unparsed > 0) {
      read.damaged++
      read.length += unparsed
      unparsed = 0
    }
    read.length += size
    each(value, number++)
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
  read.torn = restBytes > 0 || unparsed > 0
  return read
}
