/** The list of all dialects. To add one, write a `Dialect` in `dialects` and add it here. */
import type { Dialect } from './dialect.ts'
import { jest, nodeTest, vitest } from './dialects/javascript.ts'
import { cargoTest, junit, tap } from './dialects/printed.ts'
import { pytest, unittest } from './dialects/python.ts'

export const DIALECTS: readonly Dialect[] = [
  ...[nodeTest, vitest, jest],
  ...[pytest, unittest],
  ...[cargoTest, junit, tap],
]

export const dialectNamed = (name: string): Dialect => {
  const found = DIALECTS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no dialect "${name}"`)
  return found
}
