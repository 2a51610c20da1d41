/** Converts the end event of an agent's stream into the stop reason and the note of the answer. */
import type { Stop } from '@assay/contract'
import type { StreamEnd } from './agent-kind.ts'

export interface Stopped {
  readonly stop: Stop
  readonly note?: string
}

export const STOPS: Readonly<Record<StreamEnd['how'], (end: StreamEnd) => Stopped>> = {
  done: () => ({ stop: 'end' }),
  limit: (end) => ({ stop: 'limit', note: `stopped by itself: ${whyOf(end)}` }),
  refused: (end) => ({ stop: 'refusal', note: whyOf(end) }),
  failed: (end) => ({ stop: 'exit', note: whyOf(end) }),
  lost: (end) => ({ stop: 'exit', note: whyOf(end) }),
}

const whyOf = (end: StreamEnd): string => ('why' in end ? end.why : '')
