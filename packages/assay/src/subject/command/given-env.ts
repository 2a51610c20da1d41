/** Those of Assay's own variables that are set, for programs that are subjects: they get no others. */
import { ownVariable } from '../../environment/index.ts'

export function fromOurs(names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = ownVariable(name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
