/**
 * Reads files within size limits, as one text or line by line. A file may be gzipped. That is detected by its content,
 * not by its name. A file that is huge, or that is huge when unpacked, is refused before it fills the memory.
 */
import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { nearestIn } from './nearest-file.ts'
import { escapeControls, fileError, type SuiteError } from './problem.ts'

const MB = 1024 * 1024
/** The size limit for one TOML, YAML or JSON text. */
const MOST_TEXT = 32 * MB
/** The size limit for a file of rows. It is higher than for a text, because rows are read one at a time. */
const MOST_ROWS = 512 * MB
const MOST_LINE = 64 * MB
/**
 * The maximum number of rows. Each row becomes a case, which takes much more memory than a short row. A small gzipped
 * file can contain very many rows.
 */
const MOST_LINES = 1_000_000

/** The beginning of a file as text. */
export interface Head {
  readonly text: string
  /** Whether the text is the whole file. */
  readonly whole: boolean
}

export interface Line {
  readonly text: string
  /** The line number, from 1. */
  readonly number: number
}

/** Returns the beginning of a file, unpacked, up to `most` bytes. */
export async function readHead(path: string, most: number): Promise<Head> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of readBytes(path, MOST_ROWS)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > most) break
  }
  const text = Buffer.concat(chunks).subarray(0, most).toString('utf8')
  return { text, whole: bytes <= most }
}

export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of readBytes(path, MOST_TEXT)) {
    signal?.throwIfAborted()
    chunks.push(chunk)
  }
  return decode(path, Buffer.concat(chunks))
}

/** Yields the lines of a file without their line endings. */
export async function* readLines(path: string, signal?: AbortSignal): AsyncGenerator<Line> {
  for await (const lines of readLineBatches(path, signal)) yield* lines
}

/**
 * Yields the lines of a file in batches: the lines that end in one piece of the file. A caller that takes the lines of
 * a batch without waiting is much faster than one that waits for each line. A batch decodes a line when it is taken,
 * and must be used up before the next batch is asked for.
 */
export async function* readLineBatches(
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  let number = 0
  let started: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    started.push(part)
    length += part.length
    if (length > MOST_LINE) throw tooLarge(path, `line ${number + 1}`, MOST_LINE)
  }
  const line = (): Line => {
    number += 1
    if (number > MOST_LINES)
      throw fileError(path, `more than ${MOST_LINES} lines`, 'fewer, in several files')
    const [only] = started
    const bytes = started.length === 1 && only !== undefined ? only : Buffer.concat(started)
    const text = decode(path, bytes, number)
    started = []
    length = 0
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, number }
  }
  const linesIn = function* (chunk: Buffer): Generator<Line> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      add(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (end === -1) return
      yield line()
      start = end + 1
    }
  }
  for await (const chunk of readBytes(path, MOST_ROWS)) {
    signal?.throwIfAborted()
    yield linesIn(chunk)
  }
  if (length > 0) yield [line()]
}

function decode(path: string, bytes: Buffer, line?: number): string {
  if (!isUtf8(bytes)) {
    const where = line === undefined ? '' : `line ${line} is `
    throw fileError(path, `${where}not UTF-8 text`, 'a file saved as UTF-8')
  }
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

/**
 * Yields the bytes of a file. A gzipped file is unpacked. The file is always closed, even if the caller stops reading
 * early.
 */
export async function* readBytes(path: string, most = MOST_ROWS): AsyncGenerator<Buffer> {
  const { handle, packed } = await examine(path, most)
  const file = handle.createReadStream({ start: 0 })
  const stream: Readable = packed ? pipeline(file, createGunzip(), () => {}) : file
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += (chunk as Buffer).length
      if (bytes > most) throw tooLarge(path, packed ? 'the unpacked file' : 'the file', most)
      yield chunk as Buffer
    }
  } catch (error) {
    throw readable(path, error)
  } finally {
    stream.destroy()
    file.destroy()
  }
}

/**
 * With this flag, reading a special file such as /proc/kmsg fails instead of waiting for data. Windows does not have
 * the flag, so it is 0 there.
 */
const { O_NONBLOCK = 0 } = constants as { O_NONBLOCK?: number }

interface Examined {
  readonly handle: FileHandle
  /** Whether the file is gzipped. */
  readonly packed: boolean
}

/**
 * Opens a regular file of acceptable size. The checks use the open file handle, so the file cannot be replaced between
 * the checks and the reading.
 */
async function examine(path: string, most: number): Promise<Examined> {
  let handle: FileHandle | null = null
  try {
    handle = await open(path, constants.O_RDONLY | O_NONBLOCK)
    const facts = await handle.stat()
    if (facts.isDirectory()) throw fileError(path, 'a folder', 'a file')
    // A pipe or a device is refused, because reading it might never end.
    if (!facts.isFile()) throw fileError(path, 'not a regular file', 'a file')
    if (facts.size > most) throw tooLarge(path, 'the file', most)
    const magic = Buffer.alloc(2)
    const { bytesRead } = await handle.read(magic, 0, 2, 0)
    return { handle, packed: bytesRead === 2 && magic[0] === 0x1f && magic[1] === 0x8b }
  } catch (error) {
    await handle?.close()
    throw readable(path, error)
  }
}

function tooLarge(path: string, what: string, most: number): SuiteError {
  return fileError(path, `${what} is too large`, `at most ${most / MB} MB`)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  ENAMETOOLONG: 'there is no such file',
  EACCES: 'the file may not be read',
  EPERM: 'the file may not be read',
  ELOOP: 'the link leads in a circle',
  ERR_INVALID_ARG_VALUE: 'this is not a file name',
}

/** Turns a system error about a file that the user named into a problem that is shown to the user. */
export function readable(path: string, error: unknown): unknown {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return error
  if (code.startsWith('Z_')) return fileError(path, 'damaged gzip data', 'a whole gzip file')
  const reason = REASONS[code]
  const near = code === 'ENOENT' ? nearestIn(path) : null
  const relative =
    code === 'ENOENT' && !isAbsolute(path)
      ? 'a path from the current folder, or an absolute one'
      : 'a readable file'
  const expected =
    near === null ? relative : `a readable file; did you mean ${escapeControls(near)}?`
  return fileError(path, reason ?? `the file cannot be read (${code})`, expected)
}
