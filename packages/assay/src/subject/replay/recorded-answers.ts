/**
 * Reads answers that were not made by Assay, from a file of JSON lines. Each line has a `task_id`, and either
 * `completion` or `solution`. Other fields are ignored. The first answer to a task belongs to the first trial, the
 * second answer to the second trial, and so on. The file may be compressed with gzip, which is detected from its first
 * bytes.
 */
import { createHash } from 'node:crypto'
import { createReadStream, readSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Text, UsageError } from '@assay/contract'
import { openNamed } from '../../log/index.ts'
import { isRecord, parseJson } from '../json.ts'
import type { Recorded, Recording } from './recording.ts'
import { NO_TRACES } from '../traces.ts'

interface SampleLimits {
  /** The most characters of one line. */
  readonly line: number
  /** The most bytes of the file after unpacking. A small compressed file can contain a very large one. */
  readonly bytes: number
}

const LIMITS: SampleLimits = { line: 64 * 1024 * 1024, bytes: 2 * 1024 ** 3 }
const MOST_EXAMPLES = 3

export async function openRecordedAnswers(path: string, limits = LIMITS): Promise<Recording> {
  const byTask = new Map<string, string[]>()
  const hash = createHash('sha256')
  let number = 0
  try {
    for await (const line of lines(path, limits, (chunk) => hash.update(chunk))) {
      number++
      if (line.trim() === '') continue
      const { task, answer } = readSample(line, `${path}:${number}`)
      const answers = byTask.get(task)
      if (answers === undefined) byTask.set(task, [answer])
      else answers.push(answer)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`the samples ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  if (byTask.size === 0) throw new UsageError(`the samples ${path} are empty`)
  return {
    config: { samples: path, sha256: hash.digest('hex') },
    isSimulated: false,
    examples: [...byTask.keys()].slice(0, MOST_EXAMPLES),
    find(_suite, one, index): Recorded | null {
      const text = byTask.get(one)?.[index]
      // The file does not contain the cost or duration of an answer.
      return text === undefined ? null : { text, stop: 'end', usage: null, usd: null, ms: 0 }
    },
    has: (_suite, one) => byTask.has(one),
    traces: (_suite, one) => (byTask.has(one) ? NO_TRACES : null),
    // All texts are already in memory, so nothing has to be loaded.
    read: (text: Text) => Promise.resolve(typeof text === 'string' ? text : ''),
  }
}

function readSample(line: string, place: string): { task: string; answer: string } {
  const value = parseJson(line)
  if (!isRecord(value)) throw new UsageError(`${place}: expected a JSON object on each line`)
  const { task_id: task, completion, solution } = value
  if (typeof task !== 'string' && typeof task !== 'number')
    throw new UsageError(`${place}: expected a task_id`)
  const answer = completion ?? solution
  if (typeof answer !== 'string')
    throw new UsageError(`${place}: expected a completion or a solution, both are texts`)
  return { task: String(task), answer }
}

/** Returns the lines of a file, unpacked if necessary. `seen` gets the bytes of the file before unpacking. */
async function* lines(
  path: string,
  limits: SampleLimits,
  seen: (chunk: Buffer) => void,
): AsyncGenerator<string> {
  const fd = openNamed(path)
  const file = createReadStream(path, { fd, highWaterMark: 1 << 18 })
  const packed = isGzip(fd)
  file.on('data', (chunk) => seen(chunk as Buffer))
  // This callback does nothing, because the loop that reads `source` throws the errors of the pipeline.
  const source: Readable = packed ? pipeline(file, createGunzip(), () => {}) : file
  const decoder = new TextDecoder()
  let rest = ''
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limits.bytes) throw new UsageError(`${path} holds more than ${limits.bytes} bytes`)
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > limits.line)
      throw new UsageError(`${path} has a line of more than ${limits.line} characters`)
    yield* parts
  }
  yield rest + decoder.decode()
}

function isGzip(fd: number): boolean {
  const magic = Buffer.alloc(2)
  return readSync(fd, magic, 0, 2, 0) === 2 && magic[0] === 0x1f && magic[1] === 0x8b
}
