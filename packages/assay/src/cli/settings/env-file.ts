/**
 * Loads environment variables from a file: `--env-file`, else `envFile` in the user's own settings (never those of a
 * folder). Variables that are already set win. A file inside a project may be untrusted. So it can neither change
 * which programs run or what is trusted, nor send a key from the user's environment to an address that only the file
 * names.
 */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { UsageError, plain } from '@assay/contract'
import { check, readDocument, readText, takeNotes } from '../../documents/index.ts'
import { hideSecrets, ownVariable } from '../../environment/index.ts'
import { isLoopbackAddress, providerVariables } from '../../subject/index.ts'
import { configFolder } from '../../trust/index.ts'
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

/** Adds the variables of the file to the environment. Secret ones are hidden from other programs, as always. */
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
  if (flag !== undefined) checkAddresses(file, taken)
  for (const [name, value] of taken) process.env[name] = value
  hideSecrets()
}

/** Variables that decide which programs start, what is trusted, and where the user's configuration is. */
const DECIDING =
  /^(?:ASSAY_.*|PATH|HOME|SHELL|APPDATA|XDG_.*|NODE_.*|LD_.*|DYLD_.*|BASH_ENV|ENV|GIT_.*|PYTHON.*|PYENV.*|ASDF.*|CARGO.*|RUST.*|CLIPPY.*|CC|CXX|AR|LINKER|TMPDIR|TMP|TEMP|JAVA.*|RUBY.*|PERL.*|npm_.*|https?_proxy|all_proxy|SSL_.*)$/iu

/**
 * Returns `envFile` from the user's own settings, which are in the same folder as the list of what the user trusts.
 */
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
 * Throws a `UsageError` if the file sets a provider's address while the key for it comes from the user's environment.
 */
function checkAddresses(file: string, taken: ReadonlyMap<string, string>): void {
  for (const { addresses, keys } of providerVariables()) {
    const address = addresses.find((name) => taken.has(name))
    const key = keys.find((name) => taken.has(name) || ownVariable(name) !== undefined)
    if (address === undefined || key === undefined || taken.has(key)) continue
    if (isLoopbackAddress(taken.get(address) ?? '')) continue
    throw new UsageError(
      `${address} in ${file} would have ${key} of your environment sent to an address that only the file names. ` +
        `Set ${address} in your environment, or put ${key} into the file`,
    )
  }
}
