/**
 * Selects the rows of the table of cases by subject, by the outcomes of the trials, and by search words. A
 * row is a cell: the trials of one subject on one case.
 */
import type { ViewCase, ViewCell } from './data/source.ts'

export const KINDS = {
  all: 'all cases',
  faults: 'not always passed',
  flaky: 'flaky',
  never: 'never passed',
  errored: 'with errors',
  rest: 'unscored or cancelled',
} as const

export type Kind = keyof typeof KINDS

export interface CellFilter {
  /** The subject to show. Null shows all subjects. */
  readonly subject: string | null
  readonly kind: Kind
  readonly words: string
}

export function filterCells(
  cells: readonly ViewCell[],
  cases: ReadonlyMap<string, ViewCase>,
  { subject, kind, words }: CellFilter,
): ViewCell[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return cells.filter((cell) => {
    if (subject !== null && cell.subject !== subject) return false
    if (!IS_KIND[kind](cell)) return false
    if (wanted.length === 0) return true
    const asked = cases.get(cell.case)
    const text = [
      cell.case,
      asked?.name ?? '',
      ...(asked?.tags ?? []),
      ...cell.failedGraders.map(({ name }) => name),
      ...cell.reasons.map(({ code }) => code),
    ]
      .join('\n')
      .toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

const IS_KIND: Readonly<Record<Kind, (cell: ViewCell) => boolean>> = {
  all: () => true,
  faults: ({ n, c, outcomes }) => c < n || outcomes.includes('e'),
  flaky: ({ flaky }) => flaky,
  never: ({ n, c }) => n > 0 && c === 0,
  errored: ({ outcomes }) => outcomes.includes('e'),
  rest: ({ outcomes }) => /[uc]/.test(outcomes),
}
