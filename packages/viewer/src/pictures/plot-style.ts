/** Settings that all plots share: the page's font and colours, and whole percentages. */
import { percent } from '../figures.ts'
import { brief, visible } from '../text/visible.ts'

export const PLOT_STYLE = {
  style: {
    background: 'none',
    color: 'inherit',
    fontFamily: 'inherit',
    fontSize: '12px',
    overflow: 'visible',
  },
  color: { type: 'identity' },
} as const

/** The axis for shares. It always shows the whole range from 0 to 1. */
export const SHARE_SCALE = {
  domain: [0, 1],
  ticks: [0, 0.25, 0.5, 0.75, 1],
  tickFormat: (part: number) => percent(part),
  label: null,
} as const

/** Style of the tooltip for the mark under the pointer. */
export const TIP_STYLE = { stroke: 'var(--line)', lineHeight: 1.35, textPadding: 9 } as const

/** The longest name that a chart shows, in characters. */
const LABEL_LENGTH = 24

export const labelOf = (name: string, most: number = LABEL_LENGTH): string => brief(name, most)

/** Returns a name for a line of its own. If the name is longer than the line, its end is replaced by `…`. */
export function cutAtEnd(name: string, most: number): string {
  const all = Array.from(visible(name))
  return all.length <= most ? all.join('') : `${all.slice(0, Math.max(1, most - 1)).join('')}…`
}
