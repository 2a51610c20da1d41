/** What to say about a folder that was named as a run and has no record of one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TRIALS_FILE } from './trial-lines.ts'

export const RUN_FILE = 'run.json'

/** What to do about a record that is missing or damaged. */
export const REMEDY = 'Take the file from a copy of the run, or run the suite again'

/** Says what a folder lacks to be a run. If it has the trials of a run, it once was one. */
export function notRunText(folder: string): string {
  const lacks = `${folder} is not a run folder: it has no ${RUN_FILE}`
  return existsSync(join(folder, TRIALS_FILE))
    ? `${lacks}, which says what was planned, although it has ${TRIALS_FILE}. ${REMEDY}`
    : lacks
}
