/** Finds the trial that a judgment is about, by the values of the columns that identify a run. */
import { UsageError } from '@assay/contract'
import type { ReadFile, Results } from '../read-results.ts'
import type { Arranged } from '../table/arrange.ts'
import type { RunKey } from './map-judgments.ts'

/**
 * Returns the keys by which judgments can be joined with the runs: one column that identifies a run, or several columns
 * that do so together.
 */
export function runKeys(files: readonly ReadFile[]): RunKey[] {
  return files.flatMap(({ map }): RunKey[] => {
    if (map === null) return []
    const titles = (columns: readonly (number | null)[]): string[] =>
      columns.filter((column) => column !== null).map((column) => map.titles[column] as string)
    return [
      { by: 'run', titles: titles([map.run]) },
      { by: 'identity', titles: titles([map.suite, ...map.case, ...map.subject, map.index]) },
    ]
  })
}

const AMBIGUOUS = -1

export class RunLookup {
  readonly #byKey = { run: new Map<string, number>(), identity: new Map<string, number>() }

  constructor({ table, files }: Results, { rowAt }: Arranged) {
    const ordinals = new Map<number, number>()
    for (const [ordinal, row] of rowAt.entries()) ordinals.set(row, ordinal)
    let start = 0
    for (const { map, rows } of files) {
      for (let row = start; row < start + rows; row++) {
        const ordinal = ordinals.get(row)
        if (ordinal === undefined || map === null) continue
        const run = table.runAt(row)
        if (run !== null) this.#put('run', [table.runs.names[run] as string], ordinal)
        const index = table.indexAt(row)
        this.#put(
          'identity',
          [
            ...(map.suite === null ? [] : [table.suites.names[table.suiteAt(row)] as string]),
            table.caseInFile(row),
            ...(map.subject.length === 0 ? [] : (table.subjects[table.subjectAt(row)] as string[])),
            ...(map.index === null || Number.isNaN(index) ? [] : [String(index)]),
          ],
          ordinal,
        )
      }
      start += rows
    }
  }

  #put(by: RunKey['by'], parts: readonly string[], ordinal: number): void {
    const key = keyOf(parts)
    const map = this.#byKey[by]
    map.set(key, map.has(key) && map.get(key) !== ordinal ? AMBIGUOUS : ordinal)
  }

  /** Returns the position of the trial. Null if there is none. Throws if several trials have the same key. */
  find(by: RunKey['by'], parts: readonly string[], file: string): number | null {
    const ordinal = this.#byKey[by].get(keyOf(parts))
    if (ordinal === AMBIGUOUS)
      throw new UsageError(
        `${file}: several runs are ${parts.join(', ')}, so it is not clear which one was judged; name a column that tells them apart with --run or --index`,
      )
    return ordinal ?? null
  }
}

/**
 * Joins the parts of a key in the same way as the columns of a case's name. Numbers are compared as numbers, because a
 * spreadsheet may write run 1 as 1.0.
 */
const keyOf = (parts: readonly string[]): string =>
  parts.map((part) => (/^\d+\.0+$/.test(part) ? String(Number(part)) : part)).join(' / ')
