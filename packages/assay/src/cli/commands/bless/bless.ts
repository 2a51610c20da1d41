/**
 * `assay bless`: saves a run as the baseline with which later runs are compared. The user commits the baseline file
 * to git.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { RunError, UsageError, plain, shellPath } from '@assay/contract'
import {
  BASELINE_FILE,
  faultsOf,
  isBaseline,
  isEdited,
  makeBaseline,
} from '../../../compare/index.ts'
import { checkOwnFile, readNamed } from '../../../log/index.ts'
import { counted } from '../../../text/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'
import { readSide } from '../../settings/read-side.ts'

export interface BlessFlags {
  readonly run?: string
  readonly output?: string
  readonly allowPartial?: boolean
  readonly acceptEdited?: boolean
}

export async function blessCommand(flags: BlessFlags, output: Output): Promise<number> {
  const { name, subject, report } = await readSide(
    flags.run ?? 'latest',
    runAnnouncer(output),
    flags,
  )
  if (subject !== null)
    throw new UsageError('a baseline is a whole run; choose the subject when comparing')
  const baseline = makeBaseline(report)
  if (baseline.trials === 0) throw new RunError(`${name}: nothing was scored, so nothing to bless`)
  const faults = faultsOf(report)
  if (faults.length > 0 && flags.allowPartial !== true)
    throw new RunError(
      `${name} is not fit to measure others by: ${faults.join('; ')}. Complete it with assay run --resume, or bless it as it is with --allow-partial`,
    )
  const path = flags.output ?? BASELINE_FILE
  if (flags.output === undefined) checkOwnFile(path)
  checkWrittenHere(dirname(path))
  const before = hashIn(path)
  write(path, `${printedJson(baseline, 1)}\n`)
  const { out } = output
  out(
    `blessed   ${plain(name)}\n` +
      `path      ${plain(path)}\n` +
      `hash      ${baseline.hash}${before === null ? '' : before === baseline.hash ? ' (as before)' : ` (was ${plain(before)})`}\n` +
      `trials    ${baseline.trials} scored on ${counted(baseline.cases, 'case')} by ${counted(baseline.subjects.length, 'subject')}\n` +
      `compare   assay compare --baseline ${shellPath(path)} --gate statistical\n`,
  )
  for (const fault of faults) warn(output, fault)
  if (isEdited(report))
    warn(output, 'EDITED: this baseline is of a run whose record was changed, and says so')
  if (baseline.sources.includes('simulated'))
    warn(output, 'SIMULATED: this baseline holds answers of simulated subjects, not of a model')
  if (baseline.sources.includes('replay'))
    warn(output, 'REPLAYED: this baseline holds answers that were recorded earlier')
  return 0
}

/**
 * Returns the hash of the baseline at `path`, or null if there is no file. Throws if the file is not a baseline, so
 * that it is not overwritten.
 */
function hashIn(path: string): string | null {
  let text: string
  try {
    text = readNamed(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = null
  }
  if (!isBaseline(value))
    throw new UsageError(`${path} is there and is not a baseline; it is left as it is`)
  return String((value as { hash?: unknown }).hash)
}

/** Writes the file completely or not at all: it writes a temporary file and then renames it. */
function write(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new RunError(`cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}
