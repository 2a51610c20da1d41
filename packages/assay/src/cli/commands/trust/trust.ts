/**
 * `assay trust [PATHS...]`: shows which programs the given folders, suites, experiments, run files and run folders
 * would start, and which addresses they would contact. Then it asks the user and stores the answer in the user's
 * configuration. It runs no code of these files.
 */
import { statSync } from 'node:fs'
import { UsageError, plain } from '@assay/contract'
import { isRunFolder } from '../../../log/index.ts'
import {
  allow,
  decideTrust,
  identityOf,
  readTrust,
  repositoryRoot,
  revoke,
  rootOfFile,
  rootOfRun,
} from '../../../trust/index.ts'
import { namedUses } from '../../trust/named-uses.ts'
import { warn, type Output } from '../../output/output.ts'
import {
  isYes,
  listing,
  terminalQuestion,
  type GateOptions,
  type Say,
} from '../../trust/require-trust.ts'

export interface TrustFlags extends Pick<GateOptions, 'env' | 'ask'> {
  readonly paths: readonly string[]
  /** Whether to allow everything without asking. */
  readonly yes?: boolean
  readonly list?: boolean
  readonly revoke?: boolean
  /**
   * The subjects that will answer the suites. An agent has its API keys while it reads the cases of a suite. So the
   * suite needs trust for those keys.
   */
  readonly model?: readonly string[]
  readonly sandbox?: 'bubblewrap' | 'none'
}

export async function trustCommand(
  flags: TrustFlags,
  output: Pick<Output, 'out'> & Say,
): Promise<number> {
  const { env = process.env } = flags
  const paths = flags.paths.length === 0 ? ['.'] : flags.paths
  for (const path of paths)
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`there is no ${path}`)
  const store = readTrust(env)
  if (store.damage !== null)
    warn(output, `${store.file} cannot be read, so nothing is trusted (${store.damage})`)
  if (flags.list === true) return list(store.roots, output)
  if (flags.revoke === true) return revokeAll(paths, env, output)

  const { uses, faults } = await namedUses(paths, {
    subjects: flags.model ?? [],
    unsandboxed: flags.sandbox === 'none',
  })
  for (const fault of faults) warn(output, `not looked at: ${fault}`)
  const { missing } = decideTrust(uses, { store, all: false })
  for (const { root, uses: added } of missing) {
    output.out(`${listing(root, added).join('\n')}\n`)
    if (flags.yes !== true) {
      const ask = flags.ask === undefined ? terminalQuestion() : flags.ask
      if (ask === null)
        throw new UsageError(
          'there is no terminal to ask on: add --yes to trust it, after looking at it',
        )
      if (!isYes(await ask('Trust it with that? [y/N] ')))
        throw new UsageError('nothing was changed')
    }
    allow(env, root, added.map(identityOf))
  }
  // Parts that could not be read may need trust too. So the last line must not say that everything is trusted.
  const rest = faults.length === 0 ? '' : ', except for what was not looked at (above)'
  for (const root of new Set(paths.map(rootOf)))
    if (!missing.some((one) => one.root === root)) {
      if (faults.length === 0) allow(env, root, [])
      output.out(
        faults.length === 0
          ? `${plain(root)}: nothing new that needs trust\n`
          : `${plain(root)}: nothing was trusted, and not everything could be looked at (above): mend it and ask again\n`,
      )
    } else output.out(`${plain(root)}: trusted${rest}\n`)
  return faults.length === 0 ? 0 : 2
}

function rootOf(path: string): string {
  if (isRunFolder(path)) return rootOfRun(path)
  return statSync(path).isDirectory() ? repositoryRoot(path) : rootOfFile(path)
}

function list(roots: ReadonlyMap<string, readonly string[]>, { out }: Pick<Output, 'out'>): number {
  if (roots.size === 0) out('no folder is trusted\n')
  for (const [root, allowed] of roots) {
    out(`${plain(root)}\n`)
    for (const identity of allowed) out(`  ${plain(identity)}\n`)
  }
  return 0
}

function revokeAll(
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
  { out }: Pick<Output, 'out'>,
): number {
  for (const root of new Set(paths.map(rootOf)))
    out(`${plain(root)}: ${revoke(env, root) ? 'not trusted any more' : 'was not trusted'}\n`)
  return 0
}

/**
 * Trusts the files that `assay init` has just written. Other files in the folder are not trusted, because somebody
 * else may have put them there before.
 */
export async function trustOwnFiles(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { uses } = await namedUses(files, { subjects: [], unsandboxed: false })
  for (const root of new Set(files.map(rootOf)))
    allow(env, root, uses.filter(({ by }) => by.root === root).map(identityOf))
}
