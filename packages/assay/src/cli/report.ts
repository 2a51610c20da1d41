/** `assay report`: a run as people and machines read it, from its log alone. */
import { formatFor, formatNamed, readRun, renderReport, writeReport } from '../report/index.ts'
import { findRun, runsFolder } from './find-run.ts'
import { plainLines } from '../plain.ts'
import { warn, type Output } from './output.ts'
import { noticesOf } from './verdict.ts'

export interface ReportFlags {
  readonly run: string
  readonly json?: boolean
  readonly format?: string
  /** Files to write, each in the format of its name. */
  readonly report?: readonly string[]
}

export async function reportCommand(flags: ReportFlags, output: Output): Promise<number> {
  const format = flags.format ?? (flags.json === true ? 'json' : null)
  const printed = format === null ? null : formatNamed(format)
  // A name that asks for no format is found out before the work, not after it.
  const wanted = (flags.report ?? []).map((path) => ({ path, format: formatFor(path) }))
  const source = await readRun(findRun(flags.run, await runsFolder()))
  for (const { path, format: one } of wanted) {
    await writeReport(one, source, path)
    output.err(`wrote ${path}\n`)
  }
  if (printed !== null)
    await printed.write(source, (text) =>
      output.out(output.outIsTerminal ? plainLines(text) : text),
    )
  else if (wanted.length === 0) output.out(renderReport(source.report, output))
  for (const notice of noticesOf(source.read)) warn(output, notice)
  return 0
}
