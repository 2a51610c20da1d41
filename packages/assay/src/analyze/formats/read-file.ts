/**
 * Streams a file into a reader, in pieces. Gzip is unpacked, other encodings are converted to UTF-8, and the hash of
 * the file's bytes is computed.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UsageError } from '@assay/contract'
import { openNamed } from '../../log/index.ts'

/** Receives a file in pieces. `end` returns null if the file was empty. */
export interface PieceReading<Read> {
  readonly push: (chunk: Buffer) => void
  readonly end: () => Read | null
}

/** The number of bytes at the beginning of a file that are needed to recognize every format. */
const SHOWING = 4
const PIECE = 1 << 20

/** Streams a file into the reader that `open` returns for the file's first bytes. A gzipped file is unpacked. */
export async function readFile<Read>(
  path: string,
  encoding: string | undefined,
  open: (first: Buffer) => PieceReading<Read>,
): Promise<{ read: Read | null; sha256: string }> {
  const hash = createHash('sha256')
  let reading: PieceReading<Read> | null = null
  let first = Buffer.alloc(0)
  const begin = (): PieceReading<Read> => {
    const text = withoutMark(first)
    const begun = open(text)
    begun.push(text)
    return begun
  }
  try {
    for await (const chunk of asUtf8(
      unpacked(path, (bytes) => hash.update(bytes)),
      encoding,
    ))
      if (reading !== null) reading.push(chunk)
      else {
        first = Buffer.concat([first, chunk])
        if (first.length >= SHOWING) reading = begin()
      }
    const read = (reading ?? begin()).end()
    return { read, sha256: hash.digest('hex') }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UsageError || code === undefined) throw error
    throw new UsageError(`cannot read ${path}: ${message}`, { cause: error })
  }
}

/** Yields the unpacked content of a file in pieces. `seen` is called with the raw bytes of the file. */
async function* unpacked(path: string, seen: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(path, {
      fd: openNamed(path),
      highWaterMark: PIECE,
    })) {
      seen(piece as Buffer)
      yield piece as Buffer
    }
  }
  const all = pieces()
  const head = await all.next()
  if (head.done === true) return
  async function* whole(): AsyncGenerator<Buffer> {
    yield head.value as Buffer
    yield* all
  }
  if (head.value[0] !== 0x1f || head.value[1] !== 0x8b) yield* whole()
  else {
    // The callback of `pipeline` can be empty, because an error is also thrown where the unpacked bytes are read.
    const gunzip = createGunzip({ chunkSize: PIECE })
    yield* pipeline(Readable.from(whole()), gunzip, () => {}) as AsyncIterable<Buffer>
  }
}

/**
 * Converts UTF-16 with a byte order mark, which spreadsheets export, to UTF-8. Also converts any encoding that the user
 * names. Other bytes are passed on as they are.
 */
async function* asUtf8(
  pieces: AsyncIterable<Buffer>,
  encoding: string | undefined,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) decoder = decoderFor(piece, encoding)
    isFirst = false
    yield decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }))
  }
  const rest = decoder?.decode() ?? ''
  if (rest !== '') yield Buffer.from(rest)
}

type Decoder = InstanceType<typeof TextDecoder>

function decoderFor(first: Buffer, encoding: string | undefined): Decoder | undefined {
  const mark = first.toString('latin1', 0, 2)
  const name = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : encoding
  if (name === undefined) return undefined
  try {
    return new TextDecoder(name)
  } catch (error) {
    throw new UsageError(
      `--encoding: "${name}" is not a known encoding; windows-1252, iso-8859-1, shift_jis and gbk are examples`,
      { cause: error },
    )
  }
}

/** Removes a UTF-8 byte order mark. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

const BINARY: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'is a ZIP archive or a spreadsheet; export it as CSV'],
  ['PAR1', 'is a Parquet file; export it as CSV'],
]

export function isJson(first: Buffer, path: string): boolean {
  for (const [mark, what] of BINARY)
    if (first.toString('latin1', 0, mark.length) === mark) throw new UsageError(`${path} ${what}`)
  const begins = /\S/.exec(first.toString('latin1', 0, 1024))?.[0]
  return begins === '{' || begins === '['
}
