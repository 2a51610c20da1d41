/** The five outcomes of a trial. The data uses `letter`, and the page shows `name`. */

export const OUTCOMES = [
  { letter: 'p', name: 'passed' },
  { letter: 'f', name: 'failed' },
  { letter: 'e', name: 'errored' },
  { letter: 'u', name: 'unscored' },
  { letter: 'c', name: 'cancelled' },
] as const

export type OutcomeName = (typeof OUTCOMES)[number]['name']

export const outcomeName = (letter: string): OutcomeName =>
  OUTCOMES.find((one) => one.letter === letter)?.name ?? 'cancelled'
