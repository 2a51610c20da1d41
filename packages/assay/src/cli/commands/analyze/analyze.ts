/**
 * `assay analyze`: summarizes the results of other programs in the same way as a run. It also prints how it
 * interpreted the columns of their files.
 */
import { dirname } from 'node:path'
import { analyze, type AnalyzeOptions } from '../../../analyze/index.ts'
import { UsageError } from '@assay/contract'
import { renderReport, formatFor, formatNamed, writeReport } from '../../../report/index.ts'
import { checkReadHere, checkWrittenHere } from '../../../trust/root.ts'
import type { Output } from '../../output/output.ts'
import { printReport } from '../../output/print-report.ts'
import { readingLines } from './reading-lines.ts'

/** The exit code if no row has a score. A command that measured nothing must not look successful. */
const EXIT_NOTHING = 3

export interface AnalyzeFlags extends AnalyzeOptions {
  readonly files: readonly string[]
  readonly json?: boolean
  /**
   * Whether two cases with the same name are the same case, even if their texts differ. The flag `unpaired` means the
   * opposite.
   */
  readonly paired?: boolean
  readonly format?: string
  /** Whether to print figures that the summary leaves out. */
  readonly details?: boolean
  /** The paths of report files to write. The extension of each path decides its format. */
  readonly report?: readonly string[]
}

export async function analyzeCommand(flags: AnalyzeFlags, output: Output): Promise<number> {
  const { files, json, format, report: paths = [], paired, details = false, ...rest } = flags
  if (paired === true && rest.unpaired === true)
    throw new UsageError('--paired and --unpaired contradict each other; give one of them')
  const options = paired === true ? { ...rest, unpaired: false } : rest
  if (json === true && format !== undefined && format !== 'json')
    throw new UsageError('--json and --format ask for two things; name one')
  const wantedFormat = format ?? (json === true ? 'json' : null)
  const printed = wantedFormat === null ? null : formatNamed(wantedFormat)
  // Refuse a file name without a known format before the analysis starts.
  const wanted = paths.map((path) => ({ path, format: formatFor(path) }))
  // Error messages quote the content of these files. A link could lead to a private file of the user, so a link out of
  // the repository is refused.
  for (const file of files) checkReadHere(file)
  for (const { path } of wanted) checkWrittenHere(dirname(path))
  const analysis = await analyze(files, options)
  for (const file of analysis.files)
    for (const line of readingLines(file, output.width)) output.err(`${output.colors.dim(line)}\n`)
  for (const one of wanted) await writeReport(one.format, analysis, one.path)
  const { report } = analysis
  if (printed !== null) await printReport(printed, analysis, output)
  else output.out(renderReport(report, { ...output, details }))
  const { passed, failed } = report.counts
  if (passed + failed > 0) return 0
  output.err(
    `${output.colors.red('error:')} nothing was scored: no row says whether it passed; --passed names the column that does, --score and --threshold make verdicts from scores\n`,
  )
  return EXIT_NOTHING
}
