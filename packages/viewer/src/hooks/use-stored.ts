import { useState } from 'preact/hooks'

/**
 * Keeps a text in the browser's storage. If there is no storage, the text is kept only until the page is closed. A
 * page that is opened from a file may have no storage.
 */
export function useStored(key: string, initial: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => stored(key) ?? initial)
  const set = (next: string): void => {
    setValue(next)
    store(key, next)
  }
  return [value, set]
}

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores a text. Returns whether the browser has stored it. */
export function store(key: string, value: string): boolean {
  try {
    localStorage.setItem(key, value)
    return true
  } catch {
    return false
  }
}
