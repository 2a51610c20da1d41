/**
 * Assay's own environment variables. The secret ones are removed from `process.env`, so that child processes do not
 * inherit them. They are also removed from the environment that the operating system shows for this process. Assay's
 * code reads them from this file instead. Only the `assay` command removes them. In a program that uses Assay as a
 * library, all variables stay where they are.
 *
 * The command's first file imports this file before it has checked the version of Node. So this file must not import
 * anything that an old Node does not have.
 */
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { clearShown, isShownHere } from './shown-environment.ts'

export type Variables = Readonly<Record<string, string>>

const SECRET_NAME =
  /key|token(?!iz)|secret|passw|pwd|credential|auth(?!ors?(?:_|$))|cookie|(?:^|_)pat(?:_|$)/i
const PASSWORD_IN_ADDRESS = /:\/\/[^/\s:@]*:([^@\s/]+)@/
/** Variables that are not secret although their names match `SECRET_NAME`. Their values are only paths of folders. */
const FOLDERS = new Set(['PWD', 'OLDPWD'])
/**
 * Variables that are never hidden, even if a project's settings name one of them as the variable with its API key.
 * Without them, programs and the user's configuration could not be found.
 */
const NEEDED = new Set([
  ...FOLDERS,
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'],
  ...['APPDATA', 'USERPROFILE', 'SYSTEMROOT', 'TEMP', 'TMP'],
])
/**
 * Copies of values that are shorter than this are not searched for. They would match parts of other values by chance.
 */
const SHORTEST_COPY = 8

/**
 * Returns the values that must never be written anywhere: the values of secret variables, URLs that contain a password,
 * and those passwords.
 */
export const secretsIn = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    if (isSecretName(name)) return [value]
    const password = PASSWORD_IN_ADDRESS.exec(value)?.[1]
    return password === undefined ? [] : [value, password]
  })

const hidden = new Map<string, string>()
/** The variables of an `--env-file`. They are never in `process.env`, so no child process inherits them. */
const fromFile = new Map<string, string>()

/** Returns the name under which a variable is stored. On Windows, names of variables are not case-sensitive. */
const keyOf = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name)

/** Returns the value of a variable that Assay was started with, even if the variable is hidden. */
export const ownVariable = (name: string): string | undefined =>
  process.env[name] ?? hidden.get(keyOf(name)) ?? fromFile.get(keyOf(name))

/** Returns all variables that Assay was started with, and those of its `--env-file`. */
export const ownVariables = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(fromFile),
  ...Object.fromEntries(hidden),
  ...process.env,
})

/**
 * Adds the variables of an environment file. Only Assay itself reads them. Child processes do not get them, because the
 * file may be untrusted: variables can change what a compiler, a linker or a shell does, and no list of names covers
 * all such variables.
 */
export function addOwnVariables(variables: ReadonlyMap<string, string>): void {
  for (const [name, value] of variables) fromFile.set(keyOf(name), value)
}

/** Whether the variable's name suggests that its value is secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !FOLDERS.has(name)

/**
 * Hides three kinds of variables: those whose name or value looks secret, those in `names`, and those whose value
 * contains the value of a hidden variable.
 */
export function hideSecrets(names: readonly string[] = []): void {
  const given = new Set(names.map(keyOf))
  const variables = Object.entries(process.env) as [string, string][]
  const isSecret = ([name, value]: [string, string]): boolean =>
    value !== '' &&
    !NEEDED.has(keyOf(name)) &&
    (given.has(keyOf(name)) || secretsIn({ [name]: value }).length > 0)
  const secrets = variables.filter(isSecret)
  const values = [...hidden.values(), ...secrets.map(([, value]) => value.trim())]
  const long = values.filter((value) => value.length >= SHORTEST_COPY)
  const copies = variables.filter(
    (one) =>
      !isSecret(one) && !NEEDED.has(keyOf(one[0])) && long.some((value) => one[1].includes(value)),
  )
  const found = [...secrets, ...copies]
  if (found.length === 0) return
  for (const [name, value] of found) {
    hidden.set(keyOf(name), value)
    delete process.env[name]
  }
  clearShown(new Set(found.map(([name]) => name)))
}

/** Whether the operating system still shows the value of a hidden variable of this process. */
export const isShown = (): boolean => isShownHere(new Set(hidden.keys()))

/** Returns the hidden variables as JSON, for the process that replaces this one. */
export const handOver = (): string => JSON.stringify(Object.fromEntries(hidden))

/**
 * Reads the secrets that the previous process handed over through an inherited pipe. Does nothing if the descriptor is
 * not a pipe.
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

/** The values of the hidden variables, by name. */
export const hiddenVariables = (): ReadonlyMap<string, string> => hidden
