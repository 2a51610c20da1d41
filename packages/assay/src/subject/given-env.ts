/**
 * The environment of programs that are subjects: clean, with what was named for them, so that neither keys
 * nor whims of the user's session reach them. Values whose names look secret are kept out of every record,
 * and so are passwords in addresses, whatever the variable is called.
 */

export type Variables = Readonly<Record<string, string>>

const SECRET_NAME =
  /key|token(?!iz)|secret|passw|pwd|credential|auth(?!ors?(?:_|$))|cookie|(?:^|_)pat(?:_|$)/i
/** Where a program runs: in every path that it prints, and no password. */
const FOLDER_NAME = /^(?:OLD)?PWD$/
const PASSWORD_IN_ADDRESS = /:\/\/[^/\s:@]*:([^@\s/]+)@/

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
  Object.entries(variables).flatMap(([name, value]) => {
    if (SECRET_NAME.test(name) && !FOLDER_NAME.test(name)) return [value]
    const password = PASSWORD_IN_ADDRESS.exec(value)?.[1]
    return password === undefined ? [] : [value, password]
  })
