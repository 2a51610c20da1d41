/** The five outcomes of a trial. `letter` is used in the data, `name` on the page. */

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
