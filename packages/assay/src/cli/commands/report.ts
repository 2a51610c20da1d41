/** `assay report`: writes the report of a run, for people or machines, from its log alone. */
import { plain, UsageError } from '@assay/contract'
import { formatFor, formatNamed, readRun, renderReport, writeReport } from '../../report/index.ts'
import { counted } from '../../text/index.ts'
import { runAnnouncer } from '../output/announce-run.ts'
import { findRun, runSources } from '../settings/find-run.ts'
import { warn, type Output } from '../output/output.ts'
import { printReport } from '../output/print-report.ts'
import { noticesOf } from '../output/exit-status.ts'

/** Exit code if a complete run has trials missing from its log, so that the figures are not those of the run. */
const EXIT_LOST = 3

export interface ReportFlags {
  readonly run: string
  readonly json?: boolean
  readonly format?: string
  /** Report files to write. The extension of each decides its format. */
  readonly report?: readonly string[]
  readonly acceptEdited?: boolean
}

export async function reportCommand(flags: ReportFlags, output: Output): Promise<number> {
  if (flags.json === true && flags.format !== undefined && flags.format !== 'json')
    throw new UsageError('--json and --format ask for two things; name one')
  const format = flags.format ?? (flags.json === true ? 'json' : null)
  const printed = format === null ? null : formatNamed(format)
  // Fail on a file name without a known format now, before the work.
  const wanted = (flags.report ?? []).map((path) => ({ path, format: formatFor(path) }))
  const announce = runAnnouncer(output)
  const source = await readRun(await announce(findRun(flags.run, await runSources())), flags)
  for (const { path, format: one } of wanted) {
    await writeReport(one, source, path)
    output.err(`wrote ${plain(path)}\n`)
  }
  if (printed !== null) await printReport(printed, source, output)
  else if (wanted.length === 0) output.out(renderReport(source.report, output))
  for (const notice of noticesOf(source.read)) warn(output, notice)
  const { counts, provenance } = source.report
  if (provenance.stopped !== 'complete' || counts.cancelled === 0) return 0
  warn(
    output,
    `the run was complete, but ${counted(counts.cancelled, 'trial')} of it cannot be found in its log`,
  )
  return EXIT_LOST
}
