/**
 * The environment of programs that are subjects: clean, with what was named for them, so that neither keys
 * nor whims of the user's session reach them. Values whose names look secret are kept out of every record.
 */

export type Variables = Readonly<Record<string, string>>

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie/i

/** Those of Assay's own variables that are set. */
export function fromOurs(names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

/** The values that must never be written anywhere. */
export const secretsIn = (variables: Variables): string[] =>
  Object.entries(variables)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value)
