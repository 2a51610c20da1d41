/** A row of a data file, and the error that is reported about a row. */
import type { Json } from '@assay/contract'
import { SuiteError, type Position } from '../../documents/index.ts'

/**
 * The values of the columns by name. The object may have no prototype, so use `Object.hasOwn` to check for a column.
 */
export type Row = Readonly<Record<string, Json>>

export interface TableRow {
  readonly row: Row
  /** The number of the row, from 1. */
  readonly number: number
  /** The line on which the row begins. Null if the file format has no lines. */
  readonly line: number | null
}

/** Returns an error about one row. */
export function rowError(
  file: string,
  position: Position | null,
  row: number,
  found: string,
  expected: string,
): SuiteError {
  return new SuiteError([
    {
      file,
      line: position?.line ?? null,
      column: position?.column ?? null,
      found,
      expected,
      message: `row ${row}: expected ${expected}, found ${found}`,
    },
  ])
}
