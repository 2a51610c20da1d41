import { type Inputs, useEffect, useState } from 'preact/hooks'

/**
 * Returns the result of a promise, and null until the promise resolves. A result that arrives after `inputs` has
 * changed is dropped. If the promise fails, the last result stays. No error is shown here, because the page's own
 * request for the run reports the problem.
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
    // The caller passes the values on which this effect depends.
  }, inputs)
  return answer?.value ?? null
}
