/** Error messages for a folder that the user named as a run, but that has no record of a run. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TRIALS_FILE } from './trial-lines.ts'

export const RUN_FILE = 'run.json'

/** Tells the user what to do if a record is missing or damaged. */
export const REMEDY = 'Take the file from a copy of the run, or run the suite again'

/**
 * Says what a folder lacks to be a run. If the folder contains trials, it once was a run whose record is now missing.
 */
export function notRunText(folder: string): string {
  const lacks = `${folder} is not a run folder: it has no ${RUN_FILE}`
  return existsSync(join(folder, TRIALS_FILE))
    ? `${lacks}, which says what was planned, although it has ${TRIALS_FILE}. ${REMEDY}`
    : lacks
}
