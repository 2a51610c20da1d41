/**
 * `trials.jsonl`: a first line that names the format, then one line per finished trial. The reader
 * keeps what is well-formed and reports the rest, so that a damaged log still tells what it knows.
 */
import { join } from 'node:path'
import { type Trial, UsageError } from '@assay/contract'
import { withNames } from './integrity-names.ts'
import { readLines, type LinesRead } from './read-lines.ts'
import { trialShape } from './trial-shape.ts'

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
    else if (isTrial(value)) each(withNames(value))
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

/** Nothing downstream meets a field of another kind than it expects. */
const isTrial = (value: unknown): value is Trial => trialShape(value) === null
