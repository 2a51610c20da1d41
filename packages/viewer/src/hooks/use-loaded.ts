import { type Inputs, useEffect, useState } from 'preact/hooks'

export interface Loaded<T> {
  /** The last answer. It stays while a newer one is awaited, and after an error. */
  readonly value: T | null
  /** Why the last attempt failed; null if it did not. */
  readonly error: string | null
}

/** Like `usePromise`, for requests that can fail. With other `inputs`, the old answer is dropped if `keep` is false. */
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
    // The caller passes the dependencies.
  }, inputs)
  return state.of === subject ? state : { value: null, error: null }
}
