/**
 * Remembers which items of a list are unfolded. At first, each item has its default state. The reader can fold or
 * unfold a single item or all items at once.
 */
import { useState } from 'preact/hooks'

export interface Folds {
  readonly isOpen: (index: number, atFirst: boolean) => boolean
  /** Folds or unfolds an item. `now` is its current state, as `isOpen` returned it. */
  readonly toggle: (index: number, now: boolean) => void
  readonly setAll: (open: boolean) => void
  /** Restores the initial state. */
  readonly reset: () => void
}

export function useFolds(): Folds {
  const [{ all, own }, set] = useState<{
    readonly all: boolean | null
    readonly own: ReadonlyMap<number, boolean>
  }>(AT_FIRST)
  return {
    isOpen: (index, atFirst) => own.get(index) ?? all ?? atFirst,
    toggle: (index, now) => set({ all, own: new Map(own).set(index, !now) }),
    setAll: (open) => set({ all: open, own: new Map() }),
    reset: () => set(AT_FIRST),
  }
}

const AT_FIRST = { all: null, own: new Map<number, boolean>() }
