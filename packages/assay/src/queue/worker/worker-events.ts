/** The events that a worker reports. */
export type WorkerEvent =
  | {
      readonly type: 'run'
      readonly run: string
      readonly name: string
      readonly lanes: number
      /** The lanes (groups of trials with the same needs) that this worker cannot serve, and why. */
      readonly cannot: readonly {
        readonly suite: string
        readonly subject: string
        readonly why: string
      }[]
    }
  | { readonly type: 'run-ended'; readonly run: string; readonly name: string }
  | {
      readonly type: 'trial'
      readonly run: string
      readonly outcome: string
      readonly ms: number
    }
  | { readonly type: 'refused'; readonly what: string; readonly why: string }
  | { readonly type: 'draining'; readonly active: number }
  | { readonly type: 'error'; readonly text: string }
  | { readonly type: 'end'; readonly done: Readonly<Record<string, number>> }
