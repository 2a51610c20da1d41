/**
 * Prints on standard error which run a name such as `latest` refers to, how old it is and in which state. Otherwise a
 * user who compares with `latest` may not notice that it is an old run, a run that never ended, or a run of another
 * project. The list of runs may also come from somebody else, and it can name any folder.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  lastRevision,
  isLocked,
  readRecord,
  readRecorded,
  type RunRecord,
  Plan,
} from '../../log/index.ts'
import { indexKey } from '../../environment/index.ts'
import { plain } from '@assay/contract'
import { count, counted } from '../../text/index.ts'
import { isOutsideRoot, repositoryRoot } from '../../trust/root.ts'
import { LATEST, passedOverText, type FoundRun } from '../settings/find-run.ts'
import type { Output } from './output.ts'

/** Announces the run and returns its folder. If a command finds the same run twice, it is announced only once. */
export type AnnounceRun = (found: FoundRun) => Promise<string>

export function runAnnouncer(
  { err, colors }: Pick<Output, 'err' | 'colors'>,
  now: () => number = () => Date.now(),
  root: string = repositoryRoot('.'),
): AnnounceRun {
  const said = new Set<string>()
  return async ({ folder, alias, passedOver = [] }) => {
    if (alias === null) return folder
    const name = alias === LATEST ? alias : `"${alias}"`
    const run = `${name} is ${folder}`
    if (said.has(run)) return folder
    said.add(run)
    const { text, isComplete } = await describeRun(folder, now())
    const isElsewhere = isOutsideRoot(root, folder)
    const real = realpathSync(folder)
    const path = real === resolve(folder) ? '' : `${real}, `
    const where = isElsewhere ? ` (${path}outside of this repository)` : ''
    const line = plain(`${run}${where}, ${text}${passedOverText(passedOver)}`)
    err(`${isComplete && !isElsewhere ? colors.dim(line) : colors.yellow(line)}\n`)
    return folder
  }
}

/** Describes a run: `started 3 minutes ago, interrupted with 64 of 800 trials recorded`. */
export async function describeRun(
  folder: string,
  now: number,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  try {
    const record = readRecord(folder, { acceptEdited: true })
    const isComplete = !isLocked(folder) && record.ended?.how === 'complete'
    const state = isComplete
      ? `complete with ${counted(planOf(record).planned, 'trial')}`
      : `${stateOf(folder, record)} with ${await recorded(folder, record)}`
    return { text: `${ageText(record.createdAt, now)}, ${state}`, isComplete }
  } catch {
    // This is not an error here. The command that uses the run reports what is wrong with it.
    return { text: 'which cannot be read', isComplete: false }
  }
}

function stateOf(folder: string, { ended }: RunRecord): string {
  if (isLocked(folder)) return 'still running'
  switch (ended?.how) {
    case 'interrupted':
      return 'interrupted'
    case 'budget':
      return 'stopped by its budget'
    case 'partial':
      return 'partial'
    case 'failed':
      return 'failed'
    default:
      return 'cut off before its end'
  }
}

const planOf = (record: RunRecord): Plan => {
  const { suites, subjects } = lastRevision(record)
  return new Plan(
    suites,
    subjects.map(({ id }) => ({ id, pool: '' })),
    1,
    record.shard,
  )
}

async function recorded(folder: string, record: RunRecord): Promise<string> {
  const { tally } = await readRecorded(folder, planOf(record), { indexKey })
  const { planned, cancelled } = tally.counts()
  return `${count(planned - cancelled)} of ${counted(planned, 'trial')} recorded`
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function ageText(startedAt: string, now: number): string {
  const age = now - Date.parse(startedAt)
  if (Number.isNaN(age)) return 'started at an unknown time'
  if (age < 0) return `started at ${startedAt}, which is in the future`
  if (age < MINUTE) return 'started less than a minute ago'
  const [unit, name] =
    age < HOUR
      ? ([MINUTE, 'minute'] as const)
      : age < 2 * DAY
        ? ([HOUR, 'hour'] as const)
        : ([DAY, 'day'] as const)
  return `started ${counted(Math.floor(age / unit), name)} ago`
}
