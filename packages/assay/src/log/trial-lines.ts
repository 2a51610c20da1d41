/**
 * `trials.jsonl`: a first line that names the format, then one line per finished trial. The reader returns the intact
 * trials and reports the damaged lines, so that a damaged log is still useful.
 *
 * From version 2 on, a line begins with `crc`, which contains two checksums. The first covers the whole trial. The
 * second covers everything except the results of grading. So if only the grades are damaged, the trial can be graded
 * again from its answer.
 *
 * A line is written in canonical JSON, with the answer's fields before the grading results. So both checksums can be
 * computed from the bytes of the line, without building the canonical form again. If another program has reformatted a
 * line, the line is still accepted if its value has the right checksum. Version 1 has no checksums.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Identity, type Trial, UsageError } from '@assay/contract'
import { sortedCopy, UNSORTABLE } from '@assay/contract/hash'
import { canonicalParts, checksumOf, CRC_LENGTH, crcOf, crcText } from './checksum.ts'
import { withFirstNames, withNames } from './integrity-names.ts'
import {
  readLines,
  type LineFault,
  type LinesRead,
  type Position,
  type SeePiece,
} from './read-lines.ts'
import type { Misfit } from './shape.ts'
import { answeredShape, identityShape, trialShape } from './trial-shape.ts'

export const TRIALS_FILE = 'trials.jsonl'

/** The version of the format in which new runs are written. */
export const LOG_VERSION = 2
export type LogVersion = 1 | 2

/** The fields that grading adds. All other fields of a line are called the answered part. */
const GRADED = ['grades', 'implRate', 'outcome', 'sandbox', 'score'] as const

const GRADED_KEYS: ReadonlySet<string> = new Set(GRADED)

/** A trial without the fields that grading adds. */
export type AnsweredTrial = Omit<Trial, (typeof GRADED)[number]>

export interface TrialsRead extends LinesRead {
  /** The version of the log, which determines whether lines have checksums. Null if the log has no line. */
  readonly version: LogVersion | null
}

/** A position in a log, and the version of the log according to the lines before the position. */
export interface TrialsPosition extends Position {
  version: LogVersion | null
}

export function trialsHeader(run: string, version: LogVersion = LOG_VERSION): string {
  const header = { assay: 'trials', version, run }
  return JSON.stringify(version === 1 ? header : { ...header, crc: checksumOf(header) })
}

/** Formats a trial as a line. */
export function trialLine(trial: Trial, version: LogVersion = LOG_VERSION): string {
  if (version === 1) return JSON.stringify(withFirstNames(trial))
  const [answered, graded] = partsOf(trial)
  return `${LINE_BEGIN}${crcsOf(answered, graded)}",${answered.slice(1)}${graded}`
}

/**
 * Returns the canonical text of a trial in two parts: the answered part, and the fields that grading adds. Together,
 * the two parts are the whole text.
 */
function partsOf(trial: object): readonly [string, string] {
  const [answered, graded] = ownParts(trial as Trial) ?? canonicalParts(trial, GRADED_KEYS)
  return [answered.slice(0, -1), `,${graded.slice(1)}`]
}

/**
 * Returns the same texts as `canonicalParts`, in half the time. This works only for a trial whose fields are all known
 * to this version. Fields that are undefined are left out. Returns null if the trial has other fields, or values that
 * JSON.stringify would not write in canonical form.
 */
function ownParts(trial: Trial): readonly [string, string] | null {
  for (const key in trial) if (!OWN_KEYS.has(key)) return null
  const answered = answeredPart(trial)
  const graded = gradedPart(trial)
  return hasUnsortable(answered) || hasUnsortable(graded)
    ? null
    : [JSON.stringify(answered), JSON.stringify(graded)]
}

/** The fields of the answered part in sorted order. The keys of each field are sorted too. */
const answeredPart = (trial: Trial) =>
  ({
    answer: sortedCopy(trial.answer),
    attempts: sortedCopy(trial.attempts),
    case: trial.case,
    caseHash: trial.caseHash,
    claimed: sortedCopy(trial.claimed),
    cost: sortedCopy(trial.cost),
    diff: sortedCopy(trial.diff),
    files: sortedCopy(trial.files),
    gateway: sortedCopy(trial.gateway),
    index: trial.index,
    isJson: trial.isJson,
    log: sortedCopy(trial.log),
    masked: sortedCopy(trial.masked),
    messages: sortedCopy(trial.messages),
    network: trial.network,
    reason: sortedCopy(trial.reason),
    remarks: sortedCopy(trial.remarks),
    source: trial.source,
    stream: sortedCopy(trial.stream),
    subject: trial.subject,
    suite: trial.suite,
    time: sortedCopy(trial.time),
    traffic: sortedCopy(trial.traffic),
    trajectory: sortedCopy(trial.trajectory),
    usage: sortedCopy(trial.usage),
  }) satisfies Record<keyof AnsweredTrial, unknown>

const gradedPart = (trial: Trial) =>
  ({
    grades: sortedCopy(trial.grades),
    implRate: trial.implRate,
    outcome: trial.outcome,
    sandbox: trial.sandbox,
    score: trial.score,
  }) satisfies Record<(typeof GRADED)[number], unknown>

const NO_TRIAL = {} as Trial
const OWN_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(answeredPart(NO_TRIAL)),
  ...Object.keys(gradedPart(NO_TRIAL)),
])

function hasUnsortable(part: object): boolean {
  for (const key in part) if ((part as Record<string, unknown>)[key] === UNSORTABLE) return true
  return false
}

/** Returns two checksums: of both texts together, and of the first text alone. */
function crcsOf(answered: string, graded: string): string {
  const answerCrc = crc32(answered)
  return crcText(crc32(graded, answerCrc)) + crcText(answerCrc)
}

const LINE_BEGIN = '{"crc":"'
const ANSWER_CRC_AT = LINE_BEGIN.length + CRC_LENGTH
/** The offset in a line of the comma before the trial's own fields. */
const TRIAL_AT = ANSWER_CRC_AT + CRC_LENGTH + 1
const [BRACE, COMMA] = ['{'.charCodeAt(0), ','.charCodeAt(0)]

/** Returns the checksums at the beginning of a line. Null if the line does not begin as Assay writes it. */
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

/** Parses a line whose bytes are exactly as Assay wrote them. Null if they are not. */
function trialAsWritten(line: Buffer): unknown {
  const crcs = writtenCrcs(line)
  if (crcs === null) return null
  // The comma before the trial's fields is replaced with a brace. Then the rest of the line is the trial's JSON, and no
  // copy is needed.
  line[TRIAL_AT] = BRACE
  const trial = line.subarray(TRIAL_AT)
  if (crcOf(trial) === crcs.crc) return parsed(trial)
  line[TRIAL_AT] = COMMA
  return null
}

const GRADES_BEGIN = `,"${GRADED[0]}":`

/**
 * Parses the answered part of a damaged line, which as a whole may not be valid JSON. Null if the answered part is
 * damaged too.
 */
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
 * Calls `each` for every recorded trial, in the order of the log. A trial may have several lines, of which the last one
 * counts; the caller must replace the earlier ones. `start` is the offset of a trial's line. `eachAnswered` gets the
 * intact part of a damaged line: the trial without its grades. `seen` gets all bytes of the log, in chunks. If `seen`
 * returns a promise, reading continues when the promise resolves. With `from`, reading begins where an earlier call
 * ended, and only new lines are returned.
 */
export async function readTrials(
  folder: string,
  each: (trial: Trial, start: number) => void,
  eachAnswered?: (trial: AnsweredTrial) => void,
  seen?: SeePiece,
  from?: TrialsPosition,
): Promise<TrialsRead> {
  const path = join(folder, TRIALS_FILE)
  let version: LogVersion | null = from?.version ?? null

  function take(line: Buffer, start: number): LineFault | null {
    if (version === null) {
      const header = parsed(line)
      // The first line is damaged. Then the version is taken from the next line.
      if (header === undefined) return fault(header)
      version = headerVersion(path, header)
      if (isHeader(header)) return null
      // This line is not an intact header. So it is a damaged header, or the header is lost and this line is already a
      // trial.
      if (!isTable(header) || !('outcome' in header)) return fault(header)
    }
    return version === 1 ? takeUnchecked(line, start) : takeChecked(line, start)
  }

  function takeUnchecked(line: Buffer, start: number): LineFault | null {
    const value = parsed(line)
    if (!isTrial(value)) return fault(value)
    each(withNames(value), start)
    return null
  }

  function takeChecked(line: Buffer, start: number): LineFault | null {
    const written = trialAsWritten(line)
    if (written !== null) {
      if (!isTrial(written)) return fault(written)
      each(withNames(written), start)
      return null
    }
    const value = parsed(line)
    const { trial, answered } = checked(value)
    if (isTrial(trial)) {
      each(withNames(trial), start)
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

  const read = await readLines(path, take, seen, from)
  if (from !== undefined) from.version = version
  return { ...read, version }
}

/** Parses one line of a log. Null if the line is damaged. */
export function trialIn(line: Buffer, version: LogVersion): Trial | null {
  const value = version === 1 ? parsed(line) : (trialAsWritten(line) ?? checked(parsed(line)).trial)
  return isTrial(value) ? withNames(value) : null
}

/**
 * Verifies the checksums of a parsed line. Returns the whole trial if it is intact. Returns the answered part if only
 * that part is intact. Otherwise returns neither.
 */
function checked(value: unknown): { readonly trial?: unknown; readonly answered?: unknown } {
  if (!isTable(value)) return {}
  const { crc, ...trial } = value
  if (typeof crc !== 'string') return {}
  let parts: readonly [string, string]
  try {
    parts = partsOf(trial)
  } catch {
    return {} // The value is nested so deeply that it overflows the stack. Assay writes no such line.
  }
  const [answered, graded] = parts
  const crcs = crcsOf(answered, graded)
  if (crc === crcs) return { trial }
  return crc.slice(CRC_LENGTH) === crcs.slice(CRC_LENGTH) ? { answered: trial } : {}
}

/** Whether a parsed line of a log with checksums (a trial or the first line) is as it was written. */
export const isIntactLine = (value: object): boolean =>
  isHeader(value) || checked(value).trial !== undefined

/** Parses a line. Undefined if the line is not JSON. */
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

/** Whether a value is an intact first line. */
function isHeader(value: unknown): boolean {
  if (!isTable(value) || value['assay'] !== 'trials') return false
  if (value['version'] === 1) return true
  const { crc, ...header } = value
  return crc === checksumOf(header)
}

/** Returns the version of a log according to its first line, which may be damaged. */
function headerVersion(path: string, header: unknown): LogVersion {
  const { assay, version, crc }: Readonly<Record<string, unknown>> = isTable(header) ? header : {}
  if (assay === 'trials' && version === 1) return 1
  if (assay === 'trials' && version !== 2)
    throw new UsageError(
      `${path} has format version ${typeof version === 'number' ? version : 'unknown'}, this assay reads versions 1 and 2. Use the assay that wrote it, or a newer one. If there is no such version, the file's first line is damaged`,
    )
  // If the first line is missing, the log can still be read from version 2 on, because its lines have checksums. In
  // version 1, damage would go unnoticed.
  if (assay === 'trials' || crc !== undefined) return 2
  throw new UsageError(`${path} is not a trial log: its first line does not say so`)
}

/** Checks the shape of a value, so that the callers of this module can rely on the type of every field. */
const fits = (shape: (value: unknown) => Misfit | null, value: unknown): boolean =>
  shape(value) === null

const isTrial = (value: unknown): value is Trial => fits(trialShape, value)

const isAnswered = (value: unknown): value is AnsweredTrial => fits(answeredShape, value)

function identityOf(value: unknown): Identity | null {
  if (!fits(identityShape, value)) return null
  const { suite, case: id, subject, index } = value as Identity
  return { suite, case: id, subject, index }
}
