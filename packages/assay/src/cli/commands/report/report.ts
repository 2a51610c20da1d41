/** `assay report`: writes the report of a run, for people or for programs. It uses only the run's log. */
import { dirname } from 'node:path'
import { plain, UsageError, shellPath } from '@assay/contract'
import {
  formatFor,
  formatNamed,
  readRun,
  renderReport,
  withGates,
  writeJudgments,
  withBreakdowns,
  writeReport,
  type ReportSource,
} from '../../../report/index.ts'
import { faultsOf } from '../../../compare/index.ts'
import { indexKey } from '../../../environment/index.ts'
import { counted } from '../../../text/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { findRun, runSources } from '../../settings/find-run.ts'
import { gatesAsked } from '../../settings/gates-asked.ts'
import type { GateFlags } from '../gate-flags.ts'
import { warn, type Output } from '../../output/output.ts'
import { printReport } from '../../output/print-report.ts'
import { noticesOf } from '../../output/exit-status.ts'

/**
 * The exit code if trials of a complete run are missing from its log. The reported figures are then not those of the
 * run.
 */
const EXIT_LOST = 3

export interface ReportFlags extends GateFlags {
  readonly run: string
  readonly json?: boolean
  readonly format?: string
  /** The paths of report files to write. The extension of each path decides its format. */
  readonly report?: readonly string[]
  /** Whether to print figures that the summary leaves out. */
  readonly details?: boolean
  readonly acceptEdited?: boolean
  /** Whether gates can hold although the run is incomplete or invalid. */
  readonly allowPartial?: boolean
  /** The folder in which a judgment.json is written for each judged trial. */
  readonly judgments?: string
  /** The keys by which the figures are grouped. */
  readonly by?: readonly string[]
}

export async function reportCommand(flags: ReportFlags, output: Output): Promise<number> {
  if (flags.json === true && flags.format !== undefined && flags.format !== 'json')
    throw new UsageError('--json and --format ask for two things; name one')
  const format = flags.format ?? (flags.json === true ? 'json' : null)
  const printed = format === null ? null : formatNamed(format)
  // Check the report paths before the log is read. A path without a known format or through a link out of the
  // repository is refused.
  const wanted = (flags.report ?? []).map((path) => ({ path, format: formatFor(path) }))
  for (const { path } of wanted) checkWrittenHere(dirname(path))
  if (flags.judgments !== undefined) checkWrittenHere(flags.judgments)
  const asked = await gatesAsked(flags)
  const announce = runAnnouncer(output)
  const folder = await announce(findRun(flags.run, await runSources()))
  const read = await readRun(folder, { acceptEdited: flags.acceptEdited, indexKey })
  const faults = flags.allowPartial === true ? [] : faultsOf(read.report)
  const gated = withGates(read.report, asked, faults)
  const source = { ...read, report: withBreakdowns(gated, flags.by ?? []) }
  for (const { path, format: one } of wanted) {
    await writeReport(one, source, path)
    output.err(`wrote ${plain(path)}\n`)
  }
  if (flags.judgments !== undefined) await tellJudgments(source, flags.judgments, output)
  if (printed !== null) await printReport(printed, source, output)
  else if (wanted.length === 0 && flags.judgments === undefined)
    output.out(renderReport(source.report, { ...output, details: flags.details ?? false }))
  for (const notice of noticesOf(source.read)) warn(output, notice)
  const { counts, provenance, gates } = source.report
  if (gates !== undefined && (printed !== null || wanted.length > 0))
    for (const failure of gates.outcome.failures) output.err(`failed: ${plain(failure)}\n`)
  if (provenance.stopped !== 'complete' || counts.cancelled === 0) return gates?.outcome.code ?? 0
  warn(
    output,
    `the run was complete, but ${counted(counts.cancelled, 'trial')} of it cannot be found in its log: \`assay run --resume ${shellPath(folder)}\` makes up for what is missing`,
  )
  return EXIT_LOST
}

async function tellJudgments(source: ReportSource, folder: string, output: Output): Promise<void> {
  const { written, without } = await writeJudgments(source, folder)
  if (written === 0)
    throw new UsageError('no trial of this run was judged: there are no judgments to write')
  const others = without === 0 ? '' : `; ${counted(without, 'trial')} without a judge’s verdict`
  output.err(`wrote ${counted(written, 'judgment')} to ${plain(folder)}${others}\n`)
}
