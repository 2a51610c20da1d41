/** Names of cases for the rows of a chart: short enough for the room, and never two the same. */
import { visible } from '../text/visible.ts'
import { cutAtEnd } from './plot-style.ts'

/**
 * Returns a label of at most `most` characters for each name, in their order. If names are too long, the beginning that
 * all of them share is left out first, because it tells nothing apart. What is still too long is cut at its end, and gets
 * its number if another name looks the same then. `…` marks what is left out.
 */
export function distinctLabels(names: readonly string[], most: number): string[] {
  const shown = names.map(visible)
  if (shown.every((name) => Array.from(name).length <= most)) return shown
  const shared = sharedStart(shown)
  const cut = shown.map((name) =>
    cutAtEnd(shared === 0 ? name : `…${name.slice(shared)}`, Math.max(1, most)),
  )
  const times = Map.groupBy(cut, (label) => label)
  return cut.map((label, i) => {
    if (times.get(label)?.length === 1) return label
    const number = `#${i + 1}`
    return `${cutAtEnd(label, Math.max(1, most - number.length - 1))} ${number}`
  })
}

/** The length of the beginning that all names share, up to the end of a word. */
function sharedStart([first = '', ...others]: readonly string[]): number {
  if (others.length === 0) return 0
  const length = others.reduce((least, name) => {
    let at = 0
    while (at < least && name[at] === first[at]) at++
    return at
  }, first.length)
  return first.slice(0, length).search(/[^\s/._:-]*$/u)
}
