import { type Inputs, useEffect, useState } from 'preact/hooks'

export interface Loaded<T> {
  /** The last result. It stays while a newer one is being loaded, and also after an error. */
  readonly value: T | null
  /** The reason why the last attempt failed. Null if it did not fail. */
  readonly error: string | null
}

/**
 * Like `usePromise`, but for requests that can fail. `subject` names what is loaded. If it changes, the old result
 * is dropped. If only `inputs` change, the old result stays until the new one arrives.
 */
export function useLoaded<T>(ask: () => Promise<T>, inputs: Inputs, subject = ''): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly of: string }>({
    value: null,
    error: null,
    of: subject,
  })
  useEffect(() => {
    let isCurrent = true
    const load = async (): Promise<void> => {
      try {
        const value = await ask()
        if (isCurrent) setState({ value, error: null, of: subject })
      } catch (error) {
        const { message } = error as Error
        if (isCurrent)
          setState((before) => ({
            value: before.of === subject ? before.value : null,
            error: message,
            of: subject,
          }))
      }
    }
    void load()
    return () => {
      isCurrent = false
    }
    // The caller passes the values on which this effect depends.
  }, inputs)
  return state.of === subject ? state : { value: null, error: null }
}
