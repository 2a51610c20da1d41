/**
 * Returns those of the named variables that are set in Assay's environment. A program that is a subject gets no other
 * variables of the user.
 */
import { ownVariable } from '../../environment/index.ts'

export function fromOurs(names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = ownVariable(name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
