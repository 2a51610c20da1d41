/**
 * Reads one of the two inputs of a comparison. The user can name a run (by its folder, as `latest`, or by the start
 * of its name), a report.json, a baseline that `assay bless` wrote, or another program's JSON report of an eval set.
 * `#subject` after the name selects one of several subjects.
 */
import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { RunError, UsageError, shellPath } from '@assay/contract'
import { readNamed, type ReadOptions } from '../../log/index.ts'
import { isBaseline, openBaseline } from '../../compare/index.ts'
import { indexKey } from '../../environment/index.ts'
import { readReportFile, readRun, type Report } from '../../report/index.ts'
import type { AnnounceRun } from '../output/announce-run.ts'
import { findRun, LATEST, runSources } from './find-run.ts'

export interface ReadSide {
  /** The path of the file or of the run's folder. The user may have typed another name for it. */
  readonly name: string
  readonly subject: string | null
  readonly report: Report
}

export async function readSide(
  typed: string,
  announce: AnnounceRun,
  options: ReadOptions = {},
): Promise<ReadSide> {
  const { name, subject } = splitSelector(typed)
  if (name !== LATEST && kindOf(name) === 'file')
    return { name, subject, report: await readFile(name) }
  const folder = await announce(findRun(name, await runSources()))
  return { name: folder, subject, report: (await readRun(folder, { ...options, indexKey })).report }
}

/**
 * Splits `name#subject`. A path may contain `#` itself, so the subject begins after the first `#` that follows an
 * existing path.
 */
function splitSelector(typed: string): { name: string; subject: string | null } {
  const marks = [...typed.matchAll(/#/g)].map(({ index }) => index)
  const [first] = marks
  const isLatest = typed.slice(0, first) === LATEST
  if (first === undefined || (!isLatest && kindOf(typed) !== null))
    return { name: typed, subject: null }
  const at = isLatest
    ? first
    : (marks.find((mark) => kindOf(typed.slice(0, mark)) !== null) ?? first)
  const [name, subject] = [typed.slice(0, at), typed.slice(at + 1)]
  if (name === '' || subject === '')
    throw new UsageError(`"${typed}": expected a run and a subject, such as latest#careful`)
  return { name, subject }
}

function kindOf(path: string): 'file' | 'folder' | null {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return null
  }
}

async function readFile(name: string): Promise<Report> {
  const value = readJson(name)
  // If a report.json is damaged, `readReportFile` reports where.
  if (value === undefined && extname(name) !== '.json')
    throw new UsageError(
      `${name} is not valid JSON. Results of other programs are compared as a report: assay analyze ${shellPath(name)} --report ${shellPath(`${name.slice(0, name.length - extname(name).length)}.json`)}, then compare with that`,
    )
  if (isBaseline(value)) return openBaseline(name, value)
  // If the file is not a report of another program either, Assay's own reader refuses it and says why.
  if (isOurs(value)) return readReportFile(name)
  const { readForeignReport } = await import('../../analyze/index.ts')
  return (await readForeignReport(name)) ?? readReportFile(name)
}

const isOurs = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'assay' in value

/** Returns the parsed file, or undefined if it is not JSON. */
function readJson(path: string): unknown {
  let text: string
  try {
    text = readNamed(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
