/** `assay report`: a run as people and machines read it, from its log alone. */
import { readRun, renderReport } from '../report/index.ts'
import { findRun, runsFolder } from './find-run.ts'
import { printedJson, warn, type Output } from './output.ts'
import { noticesOf } from './verdict.ts'

export async function reportCommand(
  { run, json }: { run: string; json?: boolean },
  output: Output,
): Promise<number> {
  const { report, read } = await readRun(findRun(run, await runsFolder()))
  if (json === true) output.out(`${printedJson(report, 2)}\n`)
  else output.out(renderReport(report, output))
  for (const notice of noticesOf(read)) warn(output, notice)
  return 0
}
