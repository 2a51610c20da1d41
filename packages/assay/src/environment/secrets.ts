/**
 * Assay's own environment variables. The secret ones are taken out of `process.env`, so that no program which
 * inherits it gets them, and out of what the system shows of this process; code of Assay that needs one asks
 * here. Only the command does this: in a program that uses the library, variables stay where they are.
 *
 * The command's first file imports this, also under an older Node: no import of anything that needs a newer one.
 */
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { clearShown, isShownHere } from './shown-environment.ts'

export type Variables = Readonly<Record<string, string>>

const SECRET_NAME =
  /key|token(?!iz)|secret|passw|pwd|credential|auth(?!ors?(?:_|$))|cookie|(?:^|_)pat(?:_|$)/i
const PASSWORD_IN_ADDRESS = /:\/\/[^/\s:@]*:([^@\s/]+)@/
/** Their names match, and their values are folders. */
const FOLDERS = new Set(['PWD', 'OLDPWD'])
/** A shorter value is in too many others by chance. */
const SHORTEST_COPY = 8

/** The values that must never be written anywhere. */
export const secretsIn = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    if (SECRET_NAME.test(name) && !FOLDERS.has(name)) return [value]
    const password = PASSWORD_IN_ADDRESS.exec(value)?.[1]
    return password === undefined ? [] : [value, password]
  })

const hidden = new Map<string, string>()

/** Windows does not tell upper from lower case in names. */
const keyOf = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name)

/** A variable that Assay was started with, hidden or not. */
export const ownVariable = (name: string): string | undefined =>
  process.env[name] ?? hidden.get(keyOf(name))

/** All variables that Assay was started with. */
export const ownVariables = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(hidden),
  ...process.env,
})

/**
 * Hides every variable whose name or value says that it is secret, those of the given names, and those that
 * hold a copy of one of them.
 */
export function hideSecrets(names: readonly string[] = []): void {
  const given = new Set(names.map(keyOf))
  const variables = Object.entries(process.env) as [string, string][]
  const isSecret = ([name, value]: [string, string]): boolean =>
    value !== '' &&
    !FOLDERS.has(name) &&
    (given.has(keyOf(name)) || secretsIn({ [name]: value }).length > 0)
  const secrets = variables.filter(isSecret)
  const values = [...hidden.values(), ...secrets.map(([, value]) => value.trim())]
  const long = values.filter((value) => value.length >= SHORTEST_COPY)
  const copies = variables.filter(
    (one) => !isSecret(one) && long.some((value) => one[1].includes(value)),
  )
  const found = [...secrets, ...copies]
  if (found.length === 0) return
  for (const [name, value] of found) {
    hidden.set(keyOf(name), value)
    delete process.env[name]
  }
  clearShown(new Set(found.map(([name]) => name)))
}

/** Whether the system still shows a hidden variable of this process. */
export const isShown = (): boolean => isShownHere(new Set(hidden.keys()))

/** What is hidden, for a process that takes over from this one. */
export const handOver = (): string => JSON.stringify(Object.fromEntries(hidden))

/**
 * Reads what the process before this one handed over, from a pipe that was inherited. Where there is no such
 * pipe, nobody handed anything over.
 */
export function receiveSecrets(descriptor: number): void {
  try {
    const state = fstatSync(descriptor)
    if (!state.isFIFO() && !state.isSocket()) return
  } catch {
    return
  }
  const given = JSON.parse(readFileSync(descriptor, 'utf8')) as Variables
  for (const [name, value] of Object.entries(given)) hidden.set(name, value)
  closeSync(descriptor)
}

/** The values that are hidden, by the names of their variables. */
export const hiddenVariables = (): ReadonlyMap<string, string> => hidden
