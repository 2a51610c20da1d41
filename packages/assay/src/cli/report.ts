/** `assay report`: the summary of a run, from its log alone. */
import { renderSummary, summarize } from '../report/index.ts'
import { findRun, runsFolder } from './find-run.ts'
import { printedJson, warn, type Output } from './output.ts'
import { noticesOf } from './verdict.ts'

export async function reportCommand(
  { run, json }: { run: string; json?: boolean },
  output: Output,
): Promise<number> {
  const folder = findRun(run, await runsFolder())
  const { summary, remarks, record, read } = await summarize(folder)
  if (json === true)
    output.out(`${printedJson({ run: record.id, folder, ...summary, ...remarks }, 2)}\n`)
  else output.out(renderSummary(summary, remarks, output))
  for (const notice of noticesOf(read)) warn(output, notice)
  return 0
}
