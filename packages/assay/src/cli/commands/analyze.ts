/**
 * `assay analyze`: summarises results of other programs in the same way as a run. It prints what it guessed about
 * them.
 */
import { analyze, type AnalyzeOptions, type ReadFile } from '../../analyze/index.ts'
import { plain } from '@assay/contract'
import { renderReport, formatFor, formatNamed, writeReport } from '../../report/index.ts'
import { counted, wrap } from '../../text/index.ts'
import type { Output } from '../output/output.ts'
import { printReport } from '../output/print-report.ts'

/** Exit code if no row has a score: a run that measured nothing is not a success. */
const EXIT_NOTHING = 3

export interface AnalyzeFlags extends AnalyzeOptions {
  readonly files: readonly string[]
  readonly json?: boolean
  /** Report files to write. The extension of each decides its format. */
  readonly report?: readonly string[]
}

export async function analyzeCommand(flags: AnalyzeFlags, output: Output): Promise<number> {
  const { files, json, report: paths = [], ...options } = flags
  // Fail on a file name without a known format now, before the work.
  const wanted = paths.map((path) => ({ path, format: formatFor(path) }))
  const analysis = await analyze(files, options)
  for (const file of analysis.files)
    for (const line of wrap(plain(said(file)), output.width))
      output.err(`${output.colors.dim(line)}\n`)
  for (const { path, format } of wanted) await writeReport(format, analysis, path)
  const { report } = analysis
  if (json === true) await printReport(formatNamed('json'), analysis, output)
  else output.out(renderReport(report, output))
  const { passed, failed } = report.counts
  if (passed + failed > 0) return 0
  output.err(`${output.colors.red('error:')} nothing was scored: no row says whether it passed\n`)
  return EXIT_NOTHING
}

const MOST_UNUSED = 12

/** Describes what was read: `read 1,000 rows of runs.csv: subject = tier, case = subtest; unused columns: note`. */
function said({ path, rows, kind, map }: ReadFile): string {
  const read = `read ${counted(rows, 'row')} of ${path}`
  if (map === null) return `${read} (${kind})`
  const subject = map.subject.length === 0 ? ['subject = the file’s name'] : []
  const unused = map.unused.slice(0, MOST_UNUSED).map((title) => title.slice(0, 40) || '(no name)')
  const more = map.unused.length - unused.length
  const rest =
    unused.length === 0
      ? ''
      : `; unused columns: ${unused.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `${read}: ${[...subject, ...map.said].join(', ')}${rest}`
}
