/** Recorded answers. They are found by suite, case and trial index. */
import type { Answer, Json, Text, Traces } from '@assay/contract'

/** One recorded answer. Large texts are loaded only when they are needed. */
export interface Recorded extends Pick<
  Answer,
  | 'stop'
  | 'note'
  | 'usage'
  | 'usd'
  | 'ms'
  | 'remarks'
  | 'isJson'
  | 'gateway'
  | 'claimed'
  | 'network'
> {
  readonly text: Text
  readonly files?: Readonly<Record<string, Text>>
  readonly trajectory?: Text
  readonly stream?: Text
  readonly diff?: Text
  readonly messages?: Text
  readonly log?: Text
  readonly traffic?: Text
}

/** Why there is no answer for a trial, if the recording says so. */
export interface Missing {
  readonly missing: string
}

export interface Recording {
  /** Describes the recording and contains a hash of its content, for the record. */
  readonly config: { readonly [key: string]: Json }
  /** Whether any of the answers was simulated. */
  readonly isSimulated: boolean
  /** Returns the answer for a trial, or why it is missing. Returns null if the recording does not contain the trial. */
  readonly find: (suite: string, one: string, index: number) => Recorded | Missing | null
  /** Whether the recording contains a trial of the case. */
  readonly has: (suite: string, one: string) => boolean
  /** Returns whether the answers to a case have a trajectory or a diff. Returns null if there are no answers. */
  readonly traces: (suite: string, one: string) => Traces | null
  /** The ids of some cases that have answers, for error messages. */
  readonly examples: readonly string[]
  readonly read: (text: Text) => Promise<string>
}
