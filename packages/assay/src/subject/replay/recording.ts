/** Answers that were given before, by the trial they belong to. */
import type { Answer, Json, Text, Traces } from '@assay/contract'

/** One recorded answer; large texts stay where they are until they are asked for. */
export interface Recorded extends Pick<
  Answer,
  'stop' | 'note' | 'usage' | 'usd' | 'ms' | 'remarks'
> {
  readonly text: Text
  readonly files?: Readonly<Record<string, Text>>
  readonly trajectory?: Text
  readonly stream?: Text
  readonly diff?: Text
}

/** Why there is no answer, where the recording knows. */
export interface Missing {
  readonly missing: string
}

export interface Recording {
  /** What it is and a hash of its content, for the record. */
  readonly config: { readonly [key: string]: Json }
  /** Whether any of the answers was simulated. */
  readonly isSimulated: boolean
  /** Null where there is nothing for the trial. */
  readonly find: (suite: string, one: string, index: number) => Recorded | Missing | null
  /** Whether there is anything for the case. */
  readonly has: (suite: string, one: string) => boolean
  /** What its answers to a case show of the work; null where it has none. */
  readonly traces: (suite: string, one: string) => Traces | null
  /** Some of the cases it has answers for, for messages. */
  readonly examples: readonly string[]
  readonly read: (text: Text) => Promise<string>
}
