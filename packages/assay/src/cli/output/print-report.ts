/** Prints a report to standard output in large chunks. If the reader is slower, it waits. */
import { plainLines } from '@assay/contract'
import type { ReportFormat, ReportSource } from '../../report/index.ts'
import type { Output } from './output.ts'

const GATHERED = 65_536

export async function printReport(
  format: ReportFormat,
  source: ReportSource,
  output: Pick<Output, 'out' | 'ready' | 'outIsTerminal'>,
): Promise<void> {
  let pieces: string[] = []
  let size = 0
  const flush = (): void => {
    const text = pieces.join('')
    output.out(output.outIsTerminal ? plainLines(text) : text)
    pieces = []
    size = 0
  }
  // A format reads a batch of trials and then prints it. So wait for the reader of the output before each new batch.
  // Otherwise the unread output would fill the memory.
  const trials: ReportSource['trials'] = async (each) => {
    await output.ready()
    await source.trials(each)
  }
  await format.write({ ...source, trials }, (text) => {
    pieces.push(text)
    size += text.length
    if (size >= GATHERED) flush()
  })
  flush()
}
