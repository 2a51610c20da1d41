/**
 * `trials.index`: the result of reading the whole log, so that a report of a million trials need not parse a million
 * lines again. It is derived from the log and may be deleted at any time.
 *
 * An index is used only if all of these conditions hold. Otherwise the log is read, and the index is written again:
 * - Its signature is valid. The signature is made with a key of the user, so an index that came with an untrusted run
 *   folder is rejected, and a damaged index is detected. Nothing else in the file is read before this check.
 * - This version of Assay wrote it, for the plan that `run.json` has now.
 * - The log is unchanged: its size and SHA-256 are those in the index.
 *
 * Format: a magic word, the length of the header, the header as JSON, the arrays one after the other, the signature.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../version.ts'
import { openOwn } from '../own-file.ts'
import type { Plan } from '../tally/plan.ts'
import { Tally, type StoredTally } from '../tally/tally.ts'
import { TRIALS_FILE, type TrialsRead } from '../trial-lines.ts'

export const INDEX_FILE = 'trials.index'

const MAGIC = Buffer.from('assayidx')
/**
 * The version of the format. It must be increased when the contents of an index change, or the way in which lines are
 * counted.
 */
const FORMAT = 3
const SIGNATURE_BYTES = 32
/** Where the header begins: after the magic word and the header's length. */
const HEADER_AT = MAGIC.length + 4
/** Upper limits for any index: the bytes per trial, and the bytes of the header. */
const MOST_BYTES_PER_TRIAL = 192
const MOST_HEADER_BYTES = 512 * 1024 * 1024
/** An index is normally written only if it is smaller than its log. An index of up to this size is always written. */
const SMALL = 1024 * 1024

/** The result of reading a log. */
export interface RecordedTrials {
  readonly tally: Tally
  /**
   * By ordinal (a trial's position in the plan): the offset of the trial's line in the log, or −1 if there is none. If
   * a trial has several lines, this is the offset of the last one.
   */
  readonly starts: Float64Array
  readonly read: TrialsRead
}

/** The result of reading a log, in the form that an index stores: without the plan and its suites. */
export interface StoredTrials extends Omit<RecordedTrials, 'tally'> {
  /**
   * The hash of the plan. In another plan, the trials have other ordinals (positions), so the result is valid only for
   * this plan.
   */
  readonly plan: string
  readonly tally: ReturnType<Tally['stored']>
}

/** Combines stored trials with a plan, without copying their arrays. Null if they belong to another plan. */
export function recordedFor(
  { plan: hash, tally: { data, arrays }, starts, read }: StoredTrials,
  plan: Plan,
): RecordedTrials | null {
  if (hash !== planHash(plan)) return null
  const rest = arrays.values()
  const take = (): Uint8Array<ArrayBuffer> => {
    const { buffer, byteOffset, byteLength } = rest.next().value as ArrayBufferView<ArrayBuffer>
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
  return { tally: Tally.restored(plan, data, take), starts, read }
}

/** Returns the result of reading a log in the form that an index stores. The arrays are not copied. */
export const storedTrials = (
  plan: Plan,
  { tally, starts, read }: RecordedTrials,
): StoredTrials => ({
  plan: planHash(plan),
  tally: tally.stored(),
  starts,
  read,
})

/** Identifies the content of a log. */
export interface LogDigest {
  readonly bytes: number
  readonly sha256: string
}

interface Header {
  readonly format: number
  readonly tool: string
  readonly plan: string
  readonly log: LogDigest
  readonly read: TrialsRead
  readonly tally: StoredTally
}

/** The run and the plan that an index belongs to. */
export interface IndexFor {
  readonly folder: string
  readonly plan: Plan
  /** The user's key, with which an index is signed. */
  readonly key: Uint8Array
}

/** Reads the index. Null if there is none, or if it is not valid. */
export function readIndex({ folder, plan, key }: IndexFor): RecordedTrials | null {
  try {
    const most = plan.planned * MOST_BYTES_PER_TRIAL + MOST_HEADER_BYTES
    const file = readWhole(join(folder, INDEX_FILE), most)
    if (file === null) return null
    const content = signedContent(file, key)
    if (content === null) return null
    const headerEnd = HEADER_AT + content.readUInt32LE(MAGIC.length)
    const header = JSON.parse(content.toString('utf8', HEADER_AT, headerEnd)) as Header
    if (header.format !== FORMAT || header.tool !== VERSION) return null
    if (header.plan !== planHash(plan)) return null
    if (!isSameLog(folder, header.log)) return null
    let at = headerEnd
    const take = (bytes: number): Uint8Array<ArrayBuffer> => {
      const array = content.subarray(at, at + bytes)
      if (array.length < bytes) throw new Error('the index ends too early')
      at += padded(bytes)
      return array
    }
    const { buffer, byteOffset } = take(8 * plan.planned)
    const starts = new Float64Array(buffer, byteOffset, plan.planned)
    const tally = Tally.restored(plan, header.tally, take)
    return { tally, starts, read: header.read }
  } catch {
    // The index cannot be used, for whatever reason. The caller then reads the log, which contains everything.
    return null
  }
}

/** Each array begins at a multiple of this offset. So it can be used in place, without a copy. */
const ALIGNMENT = 8

const padded = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

/** Reads the whole file. Null if it is larger than `most`, or if it becomes shorter while it is read. */
function readWhole(path: string, most: number): Buffer<ArrayBuffer> | null {
  const fd = openOwn(path)
  try {
    const { size } = fstatSync(fd)
    if (size > most) return null
    const bytes = Buffer.from(new ArrayBuffer(size))
    let done = 0
    for (let read = -1; done < size && read !== 0; done += read)
      read = readSync(fd, bytes, done, size - done, null)
    return done === size ? bytes : null
  } finally {
    closeSync(fd)
  }
}

/** Returns the content of a file without its signature. Null if the signature was not made with the user's key. */
function signedContent(file: Buffer<ArrayBuffer>, key: Uint8Array): Buffer<ArrayBuffer> | null {
  if (file.length < HEADER_AT + SIGNATURE_BYTES) return null
  const content = file.subarray(0, -SIGNATURE_BYTES)
  if (!content.subarray(0, MAGIC.length).equals(MAGIC)) return null
  const signature = createHmac('sha256', key).update(content).digest()
  return timingSafeEqual(signature, file.subarray(-SIGNATURE_BYTES)) ? content : null
}

const PIECE = 1 << 20

function isSameLog(folder: string, { bytes, sha256 }: LogDigest): boolean {
  const fd = openOwn(join(folder, TRIALS_FILE))
  try {
    if (fstatSync(fd).size !== bytes) return false
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(PIECE)
    let done = 0
    for (let read = 0; (read = readSync(fd, piece)) > 0; done += read)
      hash.update(piece.subarray(0, read))
    return done === bytes && hash.digest('hex') === sha256
  } finally {
    closeSync(fd)
  }
}

/**
 * Writes the index to a temporary file and renames it, so that a reader finds a whole index or none. If writing fails,
 * there is no index, and no error is thrown. Returns the contents in either case.
 *
 * A large index is not written if it would be larger than its log. The record of an untrusted folder can plan millions
 * of trials that never ran. Reading such a record must not fill the disk.
 */
export function writeIndex(
  { folder, plan, key }: IndexFor,
  recorded: RecordedTrials,
  log: LogDigest,
): StoredTrials {
  const stored = storedTrials(plan, recorded)
  writeStored(folder, key, stored, log)
  return stored
}

function writeStored(
  folder: string,
  key: Uint8Array,
  { plan, tally: { data, arrays }, starts, read }: StoredTrials,
  log: LogDigest,
): void {
  const temporary = join(folder, `${INDEX_FILE}.${process.pid}.tmp`)
  try {
    removeUnfinishedIndex(folder)
    const parts = [starts, ...arrays]
    if (parts.reduce((sum, { byteLength }) => sum + byteLength, 0) > Math.max(log.bytes, SMALL))
      return
    const head: Header = {
      format: FORMAT,
      tool: VERSION,
      plan,
      log,
      read,
      tally: data,
    }
    const text = JSON.stringify(head)
    // The header is padded with spaces, so that the arrays after it are aligned.
    const room = padded(HEADER_AT + Buffer.byteLength(text)) - HEADER_AT
    const header = Buffer.alloc(room, ' ')
    header.write(text)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(header.length)
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
    try {
      const signature = createHmac('sha256', key)
      for (const bytes of [MAGIC, length, header, ...parts.flatMap(paddedBytes)]) {
        signature.update(bytes)
        writeAll(fd, bytes)
      }
      writeAll(fd, signature.digest())
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, join(folder, INDEX_FILE))
  } catch {
    rmSync(temporary, { force: true })
  }
}

const paddedBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer[] => [
  Buffer.from(buffer, byteOffset, byteLength),
  Buffer.alloc(padded(byteLength) - byteLength),
]

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
}

const UNFINISHED = /^trials\.index\.\d+\.tmp$/

/**
 * Removes the temporary files of processes that died while writing an index. If the process is still alive after all,
 * the only effect is that its index is not written.
 */
export function removeUnfinishedIndex(folder: string): void {
  for (const name of readdirSync(folder))
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true })
}

/**
 * Returns a hash of everything that determines the ordinals of trials (their positions in the plan) and which lines
 * belong to the plan.
 */
function planHash({ subjects, suites, cells, shard }: Plan): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([subjects.map(({ id }) => id), suites.map(({ id }) => id), shard]))
  for (const { suite, case: one, trials } of cells)
    hash.update(JSON.stringify([suite.id, one.id, one.hash, trials]))
  return hash.digest('hex')
}
