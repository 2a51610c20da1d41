/**
 * Loads environment variables from a file. The file is given by `--env-file`, otherwise by `envFile` in the user's
 * own settings (never in those of a project). Variables that are already set are not replaced. A file inside a
 * project may be untrusted. So it cannot change which programs run or what is trusted. It also cannot make Assay
 * send a key from the user's environment to an address that only the file names.
 */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { UsageError, plain } from '@assay/contract'
import { check, readDocument, readText, takeNotes } from '../../documents/index.ts'
import {
  addOwnVariables,
  configFolder,
  isSecretName,
  ownVariable,
} from '../../environment/index.ts'
import { agentVariables, isLoopbackAddress, providerVariables } from '../../subject/index.ts'
import { warn, type Output } from '../output/output.ts'

export const userSettingsSchema = z
  .strictObject({
    envFile: z
      .string()
      .min(1)
      .optional()
      .describe('A file of variables such as keys, from this folder or by its absolute path.'),
  })
  .describe('Settings of a user of Assay, for all projects.')

type Say = Pick<Output, 'err' | 'colors'>

/** Adds the variables of the file to Assay's own environment. Programs that Assay starts do not inherit them. */
export async function takeEnvFile(flag: string | undefined, output: Say): Promise<void> {
  const file = flag ?? (await usersEnvFile())
  if (file === null) return
  const variables = Object.entries(parseEnv(await readText(file))) as [string, string][]
  const refused = variables.filter(([name]) => DECIDING.test(name)).map(([name]) => name)
  if (refused.length > 0)
    warn(
      output,
      `not taken from ${plain(file)}, because a file must not decide it: ${refused.map(plain).join(', ')}`,
    )
  const taken = new Map(
    variables.filter(([name]) => !refused.includes(name) && ownVariable(name) === undefined),
  )
  if (flag !== undefined) await checkAddresses(file, taken)
  addOwnVariables(taken)
}

/**
 * Matches variables that the file may not set, because they determine which programs start, what is trusted, and
 * where the user's configuration is.
 */
const DECIDING =
  /^(?:ASSAY_.*|PATH|HOME|SHELL|APPDATA|XDG_.*|NODE_.*|LD_.*|DYLD_.*|BASH_ENV|ENV|GIT_.*|PYTHON.*|PYENV.*|ASDF.*|CARGO.*|RUST.*|CLIPPY.*|CC|CXX|AR|LINKER|TMPDIR|TMP|TEMP|JAVA.*|RUBY.*|PERL.*|npm_.*|https?_proxy|all_proxy|no_proxy|SSL_.*)$/iu

/** Returns `envFile` from the user's own settings, which are in the user's configuration folder. */
async function usersEnvFile(): Promise<string | null> {
  const file = join(configFolder(process.env), 'settings.toml')
  if (!existsSync(file)) return null
  const document = readDocument(file, await readText(file), 'toml', { secret: true })
  const notes = takeNotes(document)
  const { envFile } = check(userSettingsSchema, document.value, notes) ?? {}
  notes.done()
  if (envFile === undefined) return null
  return isAbsolute(envFile) ? envFile : resolve(dirname(file), envFile)
}

/**
 * Throws a `UsageError` if the file sets an address and the key for this address comes from the user's environment.
 * Otherwise an untrusted file could receive the user's key. A provider sends the first of its keys that is set. An
 * agent gets all of its keys.
 */
async function checkAddresses(file: string, taken: ReadonlyMap<string, string>): Promise<void> {
  const isOurs = (name: string): boolean => !taken.has(name) && ownVariable(name) !== undefined
  const sent = [
    ...providerVariables().map(({ addresses, keys }) => ({
      addresses,
      keys: keys.filter((name) => taken.has(name) || isOurs(name)).slice(0, 1),
    })),
    ...(await agentVariables()).map(({ addresses, others }) => ({
      addresses,
      keys: others.filter(isSecretName),
    })),
  ]
  for (const { addresses, keys } of sent) {
    const address = addresses.find(
      (name) => taken.has(name) && !isLoopbackAddress(taken.get(name) ?? ''),
    )
    const key = keys.find(isOurs)
    if (address === undefined || key === undefined) continue
    throw new UsageError(
      `${address} in ${file} would have ${key} of your environment sent to an address that only the file names. ` +
        `Set ${address} in your environment, or put ${key} into the file`,
    )
  }
}
