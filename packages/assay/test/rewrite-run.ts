/** Changes a run folder and updates its checksums, as if Assay itself had written it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Trial } from '@assay/contract'
import { readRecord, writeRecord, type RunRecord } from '../src/log/run-record.ts'
import { trialLine } from '../src/log/trial-lines.ts'

export function rewriteRecord(folder: string, change: (record: RunRecord) => RunRecord): void {
  writeRecord(folder, change(readRecord(folder)))
}

/** Returns a line of the log with another trial in it. */
export function changedLine(line: string, change: object): string {
  const { crc: _crc, ...trial } = JSON.parse(line) as Trial & { crc?: string }
  return trialLine({ ...trial, ...change })
}

/** The lines of the log. The first one is its header. */
export const logLines = (folder: string): string[] =>
  readFileSync(join(folder, 'trials.jsonl'), 'utf8').trimEnd().split('\n')

export function writeLog(folder: string, lines: readonly string[]): void {
  writeFileSync(join(folder, 'trials.jsonl'), lines.map((line) => `${line}\n`).join(''))
}
