/** Result files for tests, and their rows as objects. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERDICTS } from '../src/analyze/table/csv-field.ts'
import type { Mapping } from '../src/analyze/table/column-map.ts'
import { readResults, type Results } from '../src/analyze/read-results.ts'
import { NUMBERS } from '../src/analyze/table/result-table.ts'

export interface ResultFolder {
  readonly folder: string
  readonly write: (text: string | Uint8Array, name?: string) => string
  readonly read: (text: string | Uint8Array, mapping?: Mapping, name?: string) => Promise<Results>
  readonly remove: () => void
}

export function resultFolder(): ResultFolder {
  const folder = mkdtempSync(join(tmpdir(), 'assay-analyze-'))
  let files = 0
  const write: ResultFolder['write'] = (text, name = `${++files}.csv`) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  return {
    folder,
    write,
    read: (text, mapping, name) => readResults([write(text, name)], mapping),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export function rowsOf({ table }: Results): Record<string, unknown>[] {
  return Array.from({ length: table.rows }, (_, at) => ({
    suite: table.suites.names[table.suiteAt(at)],
    case: table.cases.names[table.caseAt(at)],
    subject: table.subjects[table.subjectAt(at)]?.join('+'),
    verdict: Object.entries(VERDICTS).find(([, code]) => code === table.verdictAt(at))?.[0],
    ...(Number.isNaN(table.indexAt(at)) ? {} : { index: table.indexAt(at) }),
    ...Object.fromEntries(
      NUMBERS.map((name) => [name, table.numberAt(name, at)] as const).filter(
        ([, value]) => !Number.isNaN(value),
      ),
    ),
  }))
}
