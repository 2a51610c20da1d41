/**
 * Counts the changes of what a page shows. A page asks for its data again when the count grows. Changes that come in
 * quick succession are taken together, so that a run at full speed does not make the page ask without a pause.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Change, Workbench } from '../data/workbench-source.ts'

export interface Live {
  readonly version: number
  /** The state of the connection or of the run folder, other than a change. */
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
