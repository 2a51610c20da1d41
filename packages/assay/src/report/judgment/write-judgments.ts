/** Writes one `judgment.json` for each trial that was judged, in a folder per suite, case, subject and trial. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@assay/contract'
import type { ReportSource } from '../formats/format.ts'
import { judgmentOf } from './judgment.ts'

export interface WrittenJudgments {
  readonly written: number
  /** The number of trials without a judge's verdict. */
  readonly without: number
}

/**
 * Writes a `judgment.json` for each judged trial. Throws a `UsageError` if the folder is not empty, because its files
 * would be mistaken for a part of this run.
 */
export async function writeJudgments(
  { trials }: Pick<ReportSource, 'trials'>,
  folder: string,
): Promise<WrittenJudgments> {
  checkEmpty(folder)
  let written = 0
  let without = 0
  await trials((trial) => {
    const judgment = judgmentOf(trial)
    if (judgment === null) {
      without++
      return
    }
    const { suite, case: id, subject, index } = trial
    const at = join(folder, ...[suite, id, subject].map(pathStep), `run_${index + 1}`)
    mkdirSync(at, { recursive: true })
    writeFileSync(join(at, 'judgment.json'), `${JSON.stringify(judgment, null, 2)}\n`)
    written++
  })
  return { written, without }
}

function checkEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length > 0)
      throw new UsageError(`${folder} is not empty: name a new folder for the judgments`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    if (error instanceof UsageError) throw error
    throw new UsageError(`cannot write to ${folder}: ${(error as Error).message}`, { cause: error })
  }
}

const MOST_STEP = 120

/** Converts a name to one segment of a path. Different names give different segments. */
function pathStep(name: string): string {
  const safe = encodeURIComponent(name.toWellFormed())
    .replace(/[*'()!~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))
  if (safe.length <= MOST_STEP) return safe
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12)
  return `${safe.slice(0, MOST_STEP)}-${digest}`
}
