/** Returns what a report format writes, as one text. */
import type { ReportFormat, ReportSource } from '../src/report/formats/format.ts'

export async function written(format: ReportFormat, source: ReportSource): Promise<string> {
  const pieces: string[] = []
  await format.write(source, (text) => void pieces.push(text))
  return pieces.join('')
}
