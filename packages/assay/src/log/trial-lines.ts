/**
 * `trials.jsonl`: a first line that names the format, then one line per finished trial. The reader keeps what is as
 * it was written and reports the rest, so that a damaged log still tells what it knows.
 *
 * From version 2 on, a line begins with `crc`, which is two checksums: one over all of the trial, and one over all of
 * it but what grading made, so that the answer of a trial whose grades are damaged can be graded again. A line is
 * written in canonical form, the answer's part first: then both checksums are those of the bytes themselves, and a
 * reader need not make the canonical form again. A line that some program has written in another form counts if its
 * value has the checksum. Version 1 has no checksums.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Identity, type Trial, UsageError } from '@assay/contract'
import { canonicalParts, checksumOf, CRC_LENGTH, crcOf, crcText } from './checksum.ts'
import { withFirstNames, withNames } from './integrity-names.ts'
import { readLines, type LineFault, type LinesRead } from './read-lines.ts'
import type { Misfit } from './shape.ts'
import { answeredShape, identityShape, trialShape } from './trial-shape.ts'

export const TRIALS_FILE = 'trials.jsonl'

/** The format that is written. */
export const LOG_VERSION = 2
export type LogVersion = 1 | 2

/** What grading makes; everything else in a line is the answer's part. */
const GRADED = ['grades', 'implRate', 'outcome', 'sandbox', 'score'] as const

const GRADED_KEYS: ReadonlySet<string> = new Set(GRADED)

/** A trial without what grading made of it. */
export type AnsweredTrial = Omit<Trial, (typeof GRADED)[number]>

export interface TrialsRead extends LinesRead {
  /** Whether lines have checksums; null where there is no line. */
  readonly version: LogVersion | null
}

export function trialsHeader(run: string, version: LogVersion = LOG_VERSION): string {
  const header = { assay: 'trials', version, run }
  return JSON.stringify(version === 1 ? header : { ...header, crc: checksumOf(header) })
}

/** A trial as its line. */
export function trialLine(trial: Trial, version: LogVersion = LOG_VERSION): string {
  if (version === 1) return JSON.stringify(withFirstNames(trial))
  const [answered, graded] = partsOf(trial)
  return `${LINE_BEGIN}${crcsOf(answered, graded)}",${answered.slice(1)}${graded}`
}

/** The canonical text of a trial in two parts, which make it up together: up to the grades, and from there on. */
function partsOf(trial: object): readonly [string, string] {
  const [answered, graded] = canonicalParts(trial, GRADED_KEYS)
  return [answered.slice(0, -1), `,${graded.slice(1)}`]
}

/** The checksum of both parts together, and that of the first. */
function crcsOf(answered: string, graded: string): string {
  const answerCrc = crc32(answered)
  return crcText(crc32(graded, answerCrc)) + crcText(answerCrc)
}

const LINE_BEGIN = '{"crc":"'
const ANSWER_CRC_AT = LINE_BEGIN.length + CRC_LENGTH
/** Of the comma before the trial itself. */
const TRIAL_AT = ANSWER_CRC_AT + CRC_LENGTH + 1
const [BRACE, COMMA] = ['{'.charCodeAt(0), ','.charCodeAt(0)]

/** The checksums of a line as Assay writes it; null where it begins in another way. */
function writtenCrcs(line: Buffer): { readonly crc: string; readonly answerCrc: string } | null {
  if (line.length <= TRIAL_AT || line[TRIAL_AT] !== COMMA) return null
  const head = line.toString('latin1', 0, TRIAL_AT)
  return head.startsWith(LINE_BEGIN)
    ? {
        crc: head.slice(LINE_BEGIN.length, ANSWER_CRC_AT),
        answerCrc: head.slice(ANSWER_CRC_AT, -1),
      }
    : null
}

/** The trial in a line that is, byte for byte, as Assay has written it; null where it is not. */
function trialAsWritten(line: Buffer): unknown {
  const crcs = writtenCrcs(line)
  if (crcs === null) return null
  // The trial itself, without a copy: a brace in the place of the comma.
  line[TRIAL_AT] = BRACE
  const trial = line.subarray(TRIAL_AT)
  if (crcOf(trial) === crcs.crc) return parsed(trial)
  line[TRIAL_AT] = COMMA
  return null
}

const GRADES_BEGIN = `,"${GRADED[0]}":`

/** The answer's part of a line that may not even parse, if it is as it was written. */
function answeredAsWritten(line: Buffer): unknown {
  const crcs = writtenCrcs(line)
  if (crcs === null) return null
  for (
    let end = line.indexOf(GRADES_BEGIN);
    end !== -1;
    end = line.indexOf(GRADES_BEGIN, end + 1)
  ) {
    const text = `{${line.toString('utf8', TRIAL_AT + 1, end)}`
    if (crcOf(text) === crcs.answerCrc) return parsed(Buffer.from(`${text}}`))
  }
  return null
}

/**
 * Calls `each` for every recorded trial in the order of recording. For one identity the last line counts; replacing
 * is up to the caller, who knows the plan. `eachAnswered` gets what is certain of a damaged line: the trial without
 * its grades.
 */
export async function readTrials(
  folder: string,
  each: (trial: Trial) => void,
  eachAnswered?: (trial: AnsweredTrial) => void,
): Promise<TrialsRead> {
  const path = join(folder, TRIALS_FILE)
  let version: LogVersion | null = null

  function take(line: Buffer): LineFault | null {
    if (version === null) {
      const header = parsed(line)
      // The next line shows which version this is.
      if (header === undefined) return fault(header)
      version = headerVersion(path, header)
      if (isHeader(header)) return null
      // The header is damaged. This may be it, or the trial after it.
      if (!isTable(header) || !('outcome' in header)) return fault(header)
    }
    return version === 1 ? takeUnchecked(line) : takeChecked(line)
  }

  function takeUnchecked(line: Buffer): LineFault | null {
    const value = parsed(line)
    if (!isTrial(value)) return fault(value)
    each(withNames(value))
    return null
  }

  function takeChecked(line: Buffer): LineFault | null {
    const written = trialAsWritten(line)
    if (written !== null) {
      if (!isTrial(written)) return fault(written)
      each(withNames(written))
      return null
    }
    const value = parsed(line)
    const { trial, answered } = checked(value)
    if (isTrial(trial)) {
      each(withNames(trial))
      return null
    }
    const parses = value !== undefined
    return salvaged(answered, parses) ?? salvaged(answeredAsWritten(line), parses) ?? fault(value)
  }

  function salvaged(value: unknown, parses: boolean): LineFault | null {
    if (!isAnswered(value)) return null
    for (const name of GRADED) Reflect.deleteProperty(value, name)
    eachAnswered?.(value)
    return { parses, trial: identityOf(value) }
  }

  const read = await readLines(path, take)
  return { ...read, version }
}

/** What of a line has its checksum: the whole trial, or only the answer's part. */
function checked(value: unknown): { readonly trial?: unknown; readonly answered?: unknown } {
  if (!isTable(value)) return {}
  const { crc, ...trial } = value
  if (typeof crc !== 'string') return {}
  let parts: readonly [string, string]
  try {
    parts = partsOf(trial)
  } catch {
    return {} // nested too deeply for any program of ours
  }
  const [answered, graded] = parts
  const crcs = crcsOf(answered, graded)
  if (crc === crcs) return { trial }
  return crc.slice(CRC_LENGTH) === crcs.slice(CRC_LENGTH) ? { answered: trial } : {}
}

/** Whether a parsed line of a log that has checksums, its first one included, is as it was written. */
export const isIntactLine = (value: object): boolean =>
  isHeader(value) || checked(value).trial !== undefined

/** Undefined where it is no JSON. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

const fault = (value: unknown): LineFault => ({
  parses: value !== undefined,
  trial: identityOf(value),
})

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A first line that is as it was written. */
function isHeader(value: unknown): boolean {
  if (!isTable(value) || value['assay'] !== 'trials') return false
  if (value['version'] === 1) return true
  const { crc, ...header } = value
  return crc === checksumOf(header)
}

/** The version of a log by its first line, which may be damaged. */
function headerVersion(path: string, header: unknown): LogVersion {
  const { assay, version, crc }: Readonly<Record<string, unknown>> = isTable(header) ? header : {}
  if (assay === 'trials' && version === 1) return 1
  if (assay === 'trials' && version !== 2)
    throw new UsageError(
      `${path} has format version ${JSON.stringify(version)}, this assay reads versions 1 and 2. Use the assay that wrote it, or a newer one. If there is no such version, the file's first line is damaged`,
    )
  // Only from version 2 on can a log be read without its first line.
  if (assay === 'trials' || crc !== undefined) return 2
  throw new UsageError(`${path} is no trial log: its first line does not say so`)
}

/** Nothing downstream meets a field of another kind than it expects. */
const fits = (shape: (value: unknown) => Misfit | null, value: unknown): boolean =>
  shape(value) === null

const isTrial = (value: unknown): value is Trial => fits(trialShape, value)

const isAnswered = (value: unknown): value is AnsweredTrial => fits(answeredShape, value)

function identityOf(value: unknown): Identity | null {
  if (!fits(identityShape, value)) return null
  const { suite, case: id, subject, index } = value as Identity
  return { suite, case: id, subject, index }
}
