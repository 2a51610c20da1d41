/**
 * Returns those of the named variables that are set in Assay's environment. Programs that are subjects get no
 * others.
 */
import { ownVariable } from '../../environment/index.ts'

export function fromOurs(names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = ownVariable(name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
