/**
 * Which trials a report shows with their texts, where it cannot show all: failed and errored ones first,
 * since those are what people look for, and spread over the cells, since ten failures of one case tell
 * less than one failure of each of ten. Depends on the outcomes alone, not on the order of recording.
 */

export interface Chosen {
  /** Position among the cells. */
  readonly cell: number
  readonly index: number
}

const FAULTS = 'fe'
const OTHERS = 'pu'

/** Positions of trials, the most wanted first; `outcomes` has one letter for each trial of a cell. */
export function chooseTrials(outcomes: readonly string[], most: number): Chosen[] {
  const chosen: Chosen[] = []
  for (const letters of [FAULTS, OTHERS]) {
    // Where to look on in each cell; cells with nothing more to give drop out.
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

/** At most `most` of a list, evenly over its length. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)] as T)
}
