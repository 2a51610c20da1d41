import { type Inputs, useEffect, useState } from 'preact/hooks'

/**
 * Returns the result of a promise, and null until it resolves. A result that arrives after `inputs` changed
 * is dropped. If a promise fails, the last result stays: the page's own request for the run says what is wrong.
 */
export function usePromise<T>(ask: () => Promise<T>, inputs: Inputs): T | null {
  const [answer, setAnswer] = useState<{ readonly value: T } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const answered = async (): Promise<void> => {
      const value = await ask()
      if (isCurrent) setAnswer({ value })
    }
    answered().catch(() => {})
    return () => {
      isCurrent = false
    }
    // The caller passes the dependencies.
  }, inputs)
  return answer?.value ?? null
}
