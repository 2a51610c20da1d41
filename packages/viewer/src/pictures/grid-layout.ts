/**
 * Where the squares of the case × trial grid stand: a row for each case, a block of columns for each
 * subject. Squares shrink to fit; where even the narrowest do not, the trials are shown a window at a time,
 * and where the subjects alone are too many, the picture is wider than its place and scrolls.
 */

export interface GridShape {
  readonly width: number
  readonly rows: number
  /** Characters of the longest name of a case. */
  readonly label: number
  /** The most trials of a case, for each subject. */
  readonly trials: readonly number[]
  /** First trial of the window. */
  readonly from: number
}

export interface GridLayout {
  /** Left of the first block, for the names of the cases. */
  readonly left: number
  readonly top: number
  readonly cellWidth: number
  readonly rowHeight: number
  /** Trials shown of each subject. */
  readonly window: number
  /** Of a block, for the name above it. */
  readonly blockWidth: number
  readonly blocks: readonly { readonly x: number; readonly columns: number }[]
  readonly width: number
  readonly height: number
}

/** Of a name, about. */
export const CHARACTER = 7.2
const NARROWEST = 5
const WIDEST = 20
const ROW = 20
const GAP = 14
const TOP = 22
const NAME = 130
const LEAST_WINDOW = 10

export function gridLayout({ width, rows, label, trials, from }: GridShape): GridLayout {
  const left = Math.round(Math.min(220, width * 0.3, label * CHARACTER + 14))
  const most = Math.max(1, ...trials)
  const subjects = Math.max(1, trials.length)
  const room = Math.max(0, width - left - GAP * (subjects - 1))
  const window = Math.min(most, Math.max(LEAST_WINDOW, Math.floor(room / (NARROWEST * subjects))))
  const cellWidth = Math.max(NARROWEST, Math.min(WIDEST, Math.floor(room / (window * subjects))))
  // Room for a subject's name above a few squares, where there is some.
  const wide = Math.max(window * cellWidth, Math.min(NAME, Math.floor(room / subjects)))
  let x = left
  const blocks = trials.map((count) => {
    const block = { x, columns: Math.max(0, Math.min(window, count - from)) }
    x += wide + GAP
    return block
  })
  return {
    left,
    top: TOP,
    cellWidth,
    rowHeight: ROW,
    window,
    blockWidth: wide,
    blocks,
    width: Math.max(left, x - GAP),
    height: TOP + rows * ROW + 2,
  }
}

export interface GridPlace {
  readonly row: number
  readonly block: number
  /** Within the window. */
  readonly column: number
}

/** Which square is at a point; null between them. */
export function placeAt(layout: GridLayout, x: number, y: number): GridPlace | null {
  const row = Math.floor((y - layout.top) / layout.rowHeight)
  if (row < 0 || y >= layout.height - 2) return null
  const block = layout.blocks.findIndex(
    (one) => x >= one.x && x < one.x + one.columns * layout.cellWidth,
  )
  const found = layout.blocks[block]
  if (found === undefined) return null
  return { row, block, column: Math.floor((x - found.x) / layout.cellWidth) }
}
