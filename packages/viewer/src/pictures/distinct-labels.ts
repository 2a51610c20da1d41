/**
 * Makes labels of cases for the rows of a chart. Each label is short enough for the available width, and no two are
 * the same.
 */
import { visible } from '../text/visible.ts'
import { cutAtEnd } from './plot-style.ts'

/**
 * Returns a label of at most `most` characters for each name, in the same order. If a name is too long, the
 * beginning that all names share is left out first, because it distinguishes none of them. A label that is still too
 * long is cut at its end. If two labels are then the same, each gets its number. `…` marks what is left out.
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

/** Returns the length of the beginning that all names share, up to the last separator. */
function sharedStart([first = '', ...others]: readonly string[]): number {
  if (others.length === 0) return 0
  const length = others.reduce((least, name) => {
    let at = 0
    while (at < least && name[at] === first[at]) at++
    return at
  }, first.length)
  return first.slice(0, length).search(/[^\s/._:-]*$/u)
}
