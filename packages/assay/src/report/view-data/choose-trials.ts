/**
 * Chooses the trials that a report shows with their texts, if it cannot show all. Failed and errored trials come first,
 * because people look for those. They are spread over the cells (one subject on one case each), because one failure in
 * each of ten cases says more than ten failures of one case. The choice depends only on the outcomes, not on the order
 * of recording.
 */

export interface Chosen {
  /** The index of the cell in the list of cells. */
  readonly cell: number
  readonly index: number
}

const FAULTS = 'fe'
const OTHERS = 'pu'

/**
 * Returns the chosen trials, the most important first. `outcomes` has one string per cell (one subject on one case),
 * with one letter per trial.
 */
export function chooseTrials(outcomes: readonly string[], most: number): Chosen[] {
  const chosen: Chosen[] = []
  for (const letters of [FAULTS, OTHERS]) {
    // Each entry has a cell and the index at which the search in it continues. Cells that have no more such trials are
    // removed from the list.
    let cells = outcomes.map((_, cell) => ({ cell, from: 0 }))
    while (cells.length > 0 && chosen.length < most) {
      const round: Chosen[] = []
      const next: typeof cells = []
      for (const { cell, from } of cells) {
        const index = indexOfAny(outcomes[cell] ?? '', letters, from)
        if (index === -1) continue
        round.push({ cell, index })
        next.push({ cell, from: index + 1 })
      }
      chosen.push(...spread(round, most - chosen.length))
      cells = next
    }
  }
  return chosen
}

function indexOfAny(text: string, letters: string, from: number): number {
  for (let i = from; i < text.length; i++) if (letters.includes(text.charAt(i))) return i
  return -1
}

/** Returns at most `most` elements of a list, taken at equal distances. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)] as T)
}
