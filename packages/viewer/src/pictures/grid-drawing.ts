/**
 * Computes the rows, shapes and letters of the grid of cases and trials, and the movement of its cursor. All
 * results are plain data, so they can be tested without a browser.
 */
import type { ViewCase, ViewCell } from '../data/source.ts'
import { OUTCOMES, outcomeName } from '../outcomes.ts'
import { NONE } from '../figures.ts'
import { visible } from '../text/visible.ts'
import type { ChartData } from './chart-data.ts'
import type { GridLayout, GridPlace } from './grid-layout.ts'
import type { Shown } from './subject-colors.ts'

/** One case with its cells, one per subject. A cell is undefined if the subject has none for this case. */
export interface GridRow {
  readonly case: string
  readonly cells: readonly (ViewCell | undefined)[]
}

export const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/**
 * Moves the cursor by one step. At either end of a subject's block it goes to the neighbouring block. It never
 * leaves the grid.
 */
export function moved(
  { blocks }: GridLayout,
  rows: number,
  from: GridPlace | null,
  [down, right]: readonly [number, number],
): GridPlace {
  const { row, block, column } = from ?? { row: 0, block: 0, column: 0 }
  const next = { row: Math.max(0, Math.min(rows - 1, row + down)), block, column: column + right }
  if (next.column < 0 && block > 0)
    return { ...next, block: block - 1, column: Math.max(0, (blocks[block - 1]?.columns ?? 1) - 1) }
  const columns = blocks[block]?.columns ?? 1
  if (next.column >= columns && block + 1 < blocks.length)
    return { ...next, block: block + 1, column: 0 }
  return { ...next, column: Math.max(0, Math.min(columns - 1, next.column)) }
}

interface GridDrawing {
  readonly shapes: readonly { readonly name: string; readonly d: string }[]
  readonly letters: readonly {
    readonly name: string
    readonly xs: string
    readonly y: number
    readonly text: string
  }[]
}

/** Squares that are narrower than this do not show the letter of their outcome. */
const LETTER_WIDTH = 11

export function drawing(layout: GridLayout, rows: readonly GridRow[], from: number): GridDrawing {
  const { cellWidth, rowHeight, top, blocks } = layout
  const gap = cellWidth > 8 ? 2 : 1
  const shapes = new Map<string, string[]>(OUTCOMES.map(({ letter }) => [letter, []]))
  const letters = new Map<string, { letter: string; xs: number[]; y: number }>()
  rows.forEach((row, r) => {
    const y = top + r * rowHeight
    row.cells.forEach((cell, b) => {
      const block = blocks[b]
      if (cell === undefined || block === undefined) return
      for (let column = 0; column < block.columns; column++) {
        const letter = cell.outcomes[from + column]
        if (letter === undefined) break
        const x = block.x + column * cellWidth
        shapes
          .get(letter)
          ?.push(`M${x} ${y + 1}h${cellWidth - gap}v${rowHeight - 3}h${gap - cellWidth}z`)
        if (cellWidth < LETTER_WIDTH) continue
        const key = `${letter}${r}`
        const known = letters.get(key) ?? { letter, xs: [], y: y + 14 }
        known.xs.push(x + (cellWidth - gap) / 2)
        letters.set(key, known)
      }
    })
  })
  return {
    shapes: [...shapes].map(([letter, parts]) => ({
      name: outcomeName(letter),
      d: parts.join(''),
    })),
    letters: [...letters.values()].map(({ letter, xs, y }) => ({
      name: outcomeName(letter),
      xs: xs.join(' '),
      y,
      text: letter.repeat(xs.length),
    })),
  }
}

export function rowsOf(
  subjects: readonly Shown[],
  cells: readonly ViewCell[],
  order: 'suite' | 'worst',
): GridRow[] {
  const at = new Map(subjects.map(({ subject }, i) => [subject, i]))
  const rows = new Map<string, (ViewCell | undefined)[]>()
  for (const cell of cells) {
    const block = at.get(cell.subject)
    if (block === undefined) continue
    const row = rows.get(cell.case) ?? Array.from({ length: subjects.length })
    row[block] = cell
    rows.set(cell.case, row)
  }
  const list = [...rows].map(([one, row]) => ({ case: one, cells: row }))
  return order === 'suite' ? list : list.sort((a, b) => rate(a) - rate(b))
}

/** Returns the pass rate over all subjects. If no trial was scored, returns 2, which sorts after all pass rates. */
function rate({ cells }: GridRow): number {
  const n = cells.reduce((sum, cell) => sum + (cell?.n ?? 0), 0)
  return n === 0 ? 2 : cells.reduce((sum, cell) => sum + (cell?.c ?? 0), 0) / n
}

/** Returns the largest number of trials of a case, for each subject. */
export function longest(subjects: readonly Shown[], cells: readonly ViewCell[]): number[] {
  const most = new Map<string, number>()
  for (const { subject, outcomes } of cells)
    most.set(subject, Math.max(most.get(subject) ?? 0, outcomes.length))
  return subjects.map(({ subject }) => most.get(subject) ?? 0)
}

/** The limit on the outcome letters in one cell of the table. */
const MOST_LETTERS = 100

/**
 * Returns the rows of the grid as a table: the numbers of passed and scored trials, and the outcome of each trial as
 * a letter.
 */
export function gridData(
  subjects: readonly Shown[],
  rows: readonly GridRow[],
  cases: ReadonlyMap<string, ViewCase>,
): ChartData {
  const nameOf = (one: string): string => {
    const name = cases.get(one)?.name ?? ''
    return name === one ? '' : visible(name)
  }
  const hasNames = rows.some((row) => nameOf(row.case) !== '')
  return {
    titles: [
      'case',
      ...(hasNames ? ['name'] : []),
      ...subjects.map(({ subject }) => visible(subject)),
    ],
    rows: rows.map((row) => [
      row.case,
      ...(hasNames ? [nameOf(row.case)] : []),
      ...row.cells.map((cell) => (cell === undefined ? NONE : cellText(cell))),
    ]),
  }
}

const cellText = ({ c, n, outcomes }: ViewCell): string =>
  `${c}/${n} ${outcomes.length > MOST_LETTERS ? `${outcomes.slice(0, MOST_LETTERS)}…` : outcomes}`
