/** What `--only` can pick, and what was picked. It is in its own file, so that the help loads nothing else. */
export const ONLY = ['failed', 'errored', 'flaky', 'changed'] as const

export type Only = (typeof ONLY)[number]

/** The cases that `--only`, `--limit` and `--sample` picked, and in words how. */
export interface Picked {
  readonly words: string
  readonly cases: readonly { readonly suite: string; readonly ids: readonly string[] }[]
}
