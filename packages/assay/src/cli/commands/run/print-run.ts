/**
 * Prints and writes everything that `assay run` shows after the last trial: the summary, the next commands and the
 * requested reports.
 */
import { join, relative } from 'node:path'
import { plain, shellPath, shellWord } from '@assay/contract'
import { indexKey } from '../../../environment/index.ts'
import { lastRevision } from '../../../log/index.ts'
import {
  formatFor,
  readRun,
  renderReport,
  withGates,
  withBreakdowns,
  writeReport,
  type GatesAsked,
  type Report,
  type SuiteFacts,
} from '../../../report/index.ts'
import type { RunResult } from '../../../run/index.ts'
import type { Output } from '../../output/output.ts'
import { programName } from '../../output/program-name.ts'
import type { RunFlags } from '../../settings/run-flags.ts'
import { verdictOf } from '../../output/exit-status.ts'

/**
 * The facts about an ended run that are printed. The suites and the tally are left out, so that their memory is free
 * for the report.
 */
export type RanRun = Omit<RunResult, 'tally'> & {
  readonly spentUsd: number
  readonly suiteFacts: SuiteFacts
}

/**
 * Prints the summary of an ended run and returns the exit code. The summary is made from the log, so it is the same
 * as that of `assay report`.
 */
export async function printRun(
  result: RanRun,
  flags: RunFlags,
  gates: GatesAsked,
  output: Output,
): Promise<number> {
  // Single trials are shown only in report files.
  const brief = flags.report === undefined
  const read = await readRun(result.folder, {
    indexKey,
    recorded: result.recorded,
    suiteFacts: brief ? result.suiteFacts : null,
    brief,
  })
  const verdict = verdictOf(result.ended, read.report.counts, {
    tooManyErrors: result.tooManyErrors,
    allowPartial: flags.allowPartial ?? false,
    budget: result.budget,
  })
  const faults = verdict.code === 0 ? [] : [verdict.said ?? 'it did not end normally']
  const report = withBreakdowns(withGates(read.report, gates, faults), flags.by ?? [])
  const say = flags.json === true ? output.err : output.out
  say(renderReport(report, { ...output, details: flags.details ?? false }))
  const folder = shown(result.folder)
  if (verdict.said !== null) output.err(`${output.colors.yellow(verdict.said)}\n`)
  say(`\nrun folder  ${folder}\n`)
  if (flags.keep === true) say(`kept        ${join(folder, 'workspaces')}, as agents left it\n`)
  const next = (label: string, command: string): void =>
    say(`${label.padEnd(10)}  ${programName()} ${command}\n`)
  if (verdict.resumable && isGradable(result, report))
    next(
      'continue',
      `run --resume ${shellPath(folder)}${result.ended === 'budget' ? moreMoney(result) : ''}${await queueWords(flags)}${gateWords(flags)}`,
    )
  if (report.counts.failed + report.counts.errored > 0) next('why', `show ${shellPath(folder)}`)
  for (const path of flags.report ?? []) {
    await writeReport(formatFor(path), { ...read, report }, path)
    say(`wrote       ${plain(path)}\n`)
  }
  if (flags.report === undefined)
    next('as a page', `report ${shellPath(folder)} --report report.html`)
  return verdict.code === 0 ? (report.gates?.outcome.code ?? 0) : verdict.code
}

/**
 * Returns the flags `--queue` and `--store` for the suggested command that resumes the run. Without them, the resumed
 * run would run on this machine. The address has no user name and password.
 */
async function queueWords({ queue, store }: RunFlags): Promise<string> {
  if (queue === undefined) return ''
  const { shownAddress } = await import('../../../queue/index.ts')
  const shared = store === undefined ? '' : ` --store ${shellPath(store)}`
  return ` --queue ${shellWord(shownAddress(queue))}${shared}`
}

/**
 * Returns the flags of the gates for the suggested command that resumes the run. They must be repeated, because a run
 * does not record its gates.
 */
function gateWords(flags: RunFlags): string {
  const words = [
    ...(flags.failUnder ?? []).flatMap((text) => ['--fail-under', shellWord(text)]),
    ...(flags.failOver ?? []).flatMap((text) => ['--fail-over', shellWord(text)]),
    ...(flags.gates === undefined ? [] : ['--gates', shellPath(flags.gates)]),
    ...(flags.requirePass === true ? ['--require-pass'] : []),
    ...(flags.strict === true ? ['--strict'] : []),
  ]
  return words.map((word) => ` ${word}`).join('')
}

/**
 * Whether resuming could grade more trials. For a regraded run, this is possible only if the run was stopped or if
 * grading itself failed.
 */
const isGradable = ({ record, ended }: RanRun, { reasons }: Report): boolean =>
  record.regrades === undefined ||
  ended !== 'complete' ||
  reasons.some(({ outcome, code }) => outcome === 'errored' && GRADING.has(code))

const GRADING: ReadonlySet<string> = new Set([
  'judge-failed',
  'grader-error',
  'sandbox-failed',
  'tests-at-fault',
])

/** Returns a larger `--budget` for the suggested command. With the same budget, a resumed run would stop at once. */
function moreMoney({ record, spentUsd }: RanRun): string {
  const { budgetUsd } = lastRevision(record)
  const enough = 2 * Math.max(budgetUsd ?? 0, spentUsd)
  if (budgetUsd === null) return ''
  // If nothing was spent, twice that amount is 0 too. So the user has to choose a budget.
  return ` --budget ${enough === 0 ? 'USD' : Number(enough.toPrecision(2))}`
}

/** Returns the folder for display. It is relative if it is below the working directory. */
function shown(folder: string): string {
  const path = relative('.', folder)
  return plain(path.startsWith('..') || path === '' ? folder : path)
}
