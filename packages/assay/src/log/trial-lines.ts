/**
 * `trials.jsonl`: a first line that names the format, then one line per finished trial. The reader
 * keeps what is well-formed and reports the rest, so that a damaged log still tells what it knows.
 */
import { join } from 'node:path'
import { type Trial, UsageError } from '@assay/contract'
import { readLines, type LinesRead } from './read-lines.ts'

export const TRIALS_FILE = 'trials.jsonl'

export const trialsHeader = (run: string): string =>
  JSON.stringify({ assay: 'trials', version: 1, run })

/**
 * Calls `each` for every recorded trial in the order of recording. For one identity the last line
 * counts; replacing is up to the caller, who knows the plan.
 */
export async function readTrials(folder: string, each: (trial: Trial) => void): Promise<LinesRead> {
  const path = join(folder, TRIALS_FILE)
  let strange = 0
  const read = await readLines(path, (value, number) => {
    if (number === 0) checkHeader(path, value)
    else if (isTrial(value)) each(value)
    else strange++
  })
  return { ...read, damaged: read.damaged + strange }
}

function checkHeader(path: string, value: unknown): void {
  const header = value as { assay?: unknown; version?: unknown } | null
  if (header?.assay !== 'trials') throw new UsageError(`${path} is no trial log`)
  if (header.version !== 1)
    throw new UsageError(
      `${path} has format version ${String(header.version)}, this assay reads version 1. Use the assay that wrote it, or a newer one`,
    )
}

const OUTCOMES: ReadonlySet<unknown> = new Set(['passed', 'failed', 'unscored', 'errored'])

/** Enough of the shape that nothing downstream meets an undefined. */
function isTrial(value: unknown): value is Trial {
  if (typeof value !== 'object' || value === null) return false
  const trial = value as Partial<Trial>
  return (
    typeof trial.suite === 'string' &&
    typeof trial.case === 'string' &&
    typeof trial.subject === 'string' &&
    Number.isSafeInteger(trial.index) &&
    OUTCOMES.has(trial.outcome) &&
    isShare(trial.score) &&
    isShare(trial.implRate) &&
    areAmounts(trial.cost, COSTS) &&
    areAmounts(trial.time, TIMES) &&
    (trial.usage === null || areAmounts(trial.usage, TOKENS)) &&
    isText(trial.answer) &&
    Array.isArray(trial.grades) &&
    trial.grades.every((grade) => typeof grade === 'object' && grade !== null)
  )
}

/** A text, a reference to one, or none. */
const isText = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  typeof value === 'string' ||
  /^[0-9a-f]{64}$/.test(String((value as { blob?: unknown }).blob))

/** A score, or none. */
const isShare = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'number' && value >= 0 && value <= 1)

/** More than any sum, time or count of one trial. */
const MOST_AMOUNT = 1e15

/** Every one of these is an amount that can be, or none. */
const areAmounts = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => {
    const one: unknown = Reflect.get(value, name)
    if (one === null || one === undefined) return true
    return typeof one === 'number' && one >= 0 && one <= MOST_AMOUNT
  })

const COSTS = ['answerUsd', 'judgeUsd', 'spentUsd']
const TIMES = ['answerMs', 'waitMs', 'gradeMs']
const TOKENS = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning']
