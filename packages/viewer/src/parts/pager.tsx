/** Buttons to page through a long list. If the whole list is visible, there are no buttons. */
import { count } from '../figures.ts'

interface PagerProps {
  readonly what: string
  readonly from: number
  readonly size: number
  readonly total: number
  /** The number of the first item. Default: 1. Trials are numbered from 0. */
  readonly base?: number
  readonly turn: (from: number) => void
}

export function Pager({ what, from, size, total, base = 1, turn }: PagerProps) {
  if (total <= size) return null
  const last = Math.floor((total - 1) / size) * size
  const step = (to: number, sign: string, label: string) => (
    <button
      type="button"
      aria-label={`${label} ${what}`}
      disabled={to === from || to < 0 || to > last}
      onClick={() => turn(to)}
    >
      {sign}
    </button>
  )
  return (
    <p class="pager">
      {step(0, '«', 'first')}
      {step(from - size, '‹', 'previous')}
      <span aria-live="polite">
        {what} {count(from + base)}–{count(Math.min(total, from + size) - 1 + base)} of{' '}
        {count(total)}
      </span>
      {step(from + size, '›', 'next')}
      {step(last, '»', 'last')}
    </p>
  )
}
