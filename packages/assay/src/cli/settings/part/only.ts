/**
 * The values of `--only`, and the cases that were picked. They are in a separate file, so that `--help` loads
 * nothing else.
 */
export const ONLY = ['failed', 'errored', 'flaky', 'changed'] as const

export type Only = (typeof ONLY)[number]

/** The cases that `--only`, `--limit` and `--sample` picked. `words` says how they were picked. */
export interface Picked {
  readonly words: string
  readonly cases: readonly { readonly suite: string; readonly ids: readonly string[] }[]
}
