/**
 * Counts the changes of the data that a page shows. When the count grows, the page asks for its data again. Changes
 * that follow each other quickly count as one. Otherwise a fast run would make the page send requests without a
 * pause.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Change, Workbench } from '../data/workbench-source.ts'

export interface Live {
  readonly version: number
  /** A problem with the connection or the run folder. Null if there is none. */
  readonly trouble: Exclude<Change, 'changed'> | null
}

const PAUSE_MS = 250

export function useLive(workbench: Workbench, key: string | null): Live {
  const [live, setLive] = useState<Live>({ version: 0, trouble: null })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const end = workbench.watch(key, (change) => {
      if (change !== 'changed') {
        setLive(({ version }) => ({ version, trouble: change }))
        return
      }
      timer ??= setTimeout(() => {
        timer = null
        setLive(({ version }) => ({ version: version + 1, trouble: null }))
      }, PAUSE_MS)
    })
    return () => {
      if (timer !== null) clearTimeout(timer)
      end()
    }
  }, [workbench, key])
  return live
}
