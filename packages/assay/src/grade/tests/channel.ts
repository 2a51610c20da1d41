/**
 * The channel on which a test runner reports its results. It is a file in the temporary folder of the test command,
 * and this process has it open too. The reporter (code that Assay adds to the test runner) opens the file before the
 * graded work is loaded, reads the key in it and deletes its path. So the work, which is loaded later, cannot find
 * the file. Each result begins with the key. A line without the key was not written by the reporter.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reported, Reporter, ReporterPaths } from './dialect.ts'

export interface Channel {
  /** The folder of the reporter's files: its real path, and the path at which the test command sees it. */
  readonly at: { readonly folder: string; readonly seen: string }
  readonly reporter: Reporter
  /** Reads the results when the command has ended. */
  read(): ChannelReport
  close(): void
}

export interface ChannelReport {
  readonly reported: readonly Reported[]
  /** The number of lines that something other than the reporter wrote. */
  readonly foreign: number
  /** Whether a reporter opened the channel. The reporter deletes the path, so the path is gone then. */
  readonly isOpened: boolean
}

/** The report is read only up to this size. */
const MOST_BYTES = 32 * 1024 * 1024

/**
 * Creates the channel and writes the reporter's files. `temporary` is the real path of the folder that the command
 * sees at `seen`.
 */
export async function openChannel(
  temporary: string,
  seen: string,
  makeReporter: (paths: ReporterPaths) => Reporter,
): Promise<Channel> {
  const name = `assay_${randomBytes(6).toString('hex')}`
  const key = randomBytes(16).toString('hex')
  const folder = join(temporary, name)
  await mkdir(folder, { mode: 0o700 })
  const channel = join(folder, 'results')
  const reporter = makeReporter({
    folder: join(seen, name),
    channel: join(seen, name, 'results'),
    name,
  })
  for (const [file, text] of Object.entries(reporter.files))
    await writeFile(join(folder, file), text)
  const descriptor = openSync(channel, 'wx+', 0o600)
  const { uid, gid } = lstatSync(temporary)
  try {
    writeSync(descriptor, `${key}\n`)
    fchmodSync(descriptor, 0o600)
    fchownSync(descriptor, uid, gid)
    for (const file of ['.', ...Object.keys(reporter.files)])
      lchownSync(join(folder, file), uid, gid)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return {
    reporter,
    at: { folder, seen: join(seen, name) },
    read: () => ({
      ...parseReport(readAll(descriptor), key),
      isOpened: lstatSync(channel, { throwIfNoEntry: false }) === undefined,
    }),
    close: () => closeSync(descriptor),
  }
}

function readAll(descriptor: number): string {
  const parts: Buffer[] = []
  let at = 0
  while (at < MOST_BYTES) {
    const part = Buffer.alloc(65_536)
    const length = readSync(descriptor, part, 0, part.length, at)
    if (length === 0) break
    parts.push(part.subarray(0, length))
    at += length
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * Parses the report of a test runner. A last line without a line break is ignored, because its process was ended while
 * writing it.
 */
export function parseReport(text: string, key: string): Omit<ChannelReport, 'isOpened'> {
  const reported: Reported[] = []
  let foreign = 0
  const [first, ...lines] = text.split('\n').slice(0, -1)
  if (first !== key) foreign++
  for (const line of lines) {
    const result = line.startsWith(`${key} `) ? resultIn(line.slice(key.length + 1)) : null
    if (result === null) foreign++
    else reported.push(result)
  }
  return { reported, foreign }
}

function resultIn(text: string): Reported | null {
  try {
    const { id, status } = JSON.parse(text) as Partial<Reported>
    return typeof id === 'string' &&
      (status === 'passed' || status === 'failed' || status === 'skipped')
      ? { id, status }
      : null
  } catch {
    return null
  }
}
