/**
 * The layout of the grid of cases and trials: a row per case, a block of columns per subject. Squares become
 * narrower to fit the width. If even the narrowest squares do not fit, only a range of the trials, called the
 * window, is shown. If there are too many subjects for the width, the grid becomes wider than its container
 * and scrolls.
 */

export interface GridShape {
  readonly width: number
  readonly rows: number
  /** The length of the longest case name, in characters. */
  readonly label: number
  /** The largest number of trials of a case, for each subject. */
  readonly trials: readonly number[]
  /** The index of the first trial in the window. */
  readonly from: number
}

export interface GridLayout {
  /** The width to the left of the first block, for the names of the cases. */
  readonly left: number
  readonly top: number
  readonly cellWidth: number
  readonly rowHeight: number
  /** The number of trials shown per subject. */
  readonly window: number
  /** The width of a block, for the subject's name above it. */
  readonly blockWidth: number
  readonly blocks: readonly { readonly x: number; readonly columns: number }[]
  readonly width: number
  readonly height: number
}

/** Approximate width of a character in a name, in pixels. */
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
  // If there is enough space, a block with few squares is widened to fit the subject's name.
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
  /** The column within the window. */
  readonly column: number
}

/** Returns the square at a point. Null if the point is between squares. */
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
