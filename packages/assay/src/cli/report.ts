/** `assay report`: the summary of a run, from its log alone. */
import { renderSummary, summarize } from '../report/index.ts'
import { findRun } from './find-run.ts'
import type { Output } from './output.ts'
import { noticesOf } from './verdict.ts'

export async function reportCommand(
  { run, json }: { run: string; json?: boolean },
  output: Output,
): Promise<number> {
  const folder = findRun(run)
  const { summary, record, read } = await summarize(folder)
  if (json === true)
    output.out(`${JSON.stringify({ run: record.id, folder, ...summary }, null, 2)}\n`)
  else output.out(`${renderSummary(summary, output)}`)
  for (const notice of noticesOf(read)) output.err(`${output.colors.yellow('warning')} ${notice}\n`)
  return 0
}
