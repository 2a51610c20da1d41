/** Which parts of a list are unfolded: some to begin with, all or none at once, and each by itself. */
import { useState } from 'preact/hooks'

export interface Folds {
  readonly isOpen: (index: number, atFirst: boolean) => boolean
  /** `now`: as `isOpen` said. */
  readonly toggle: (index: number, now: boolean) => void
  readonly setAll: (open: boolean) => void
  /** As to begin with. */
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
