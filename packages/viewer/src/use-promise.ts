import { type Inputs, useEffect, useState } from 'preact/hooks'

/** What a promise brings, null until then; an answer that comes after the question changed is dropped. */
export function usePromise<T>(ask: () => Promise<T>, inputs: Inputs): T | null {
  const [answer, setAnswer] = useState<{ readonly value: T } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const answered = async (): Promise<void> => {
      const value = await ask()
      if (isCurrent) setAnswer({ value })
    }
    void answered()
    return () => {
      isCurrent = false
    }
    // The caller says what the question depends on.
  }, inputs)
  return answer?.value ?? null
}
