/**
 * The trust gate. Every program, address and path that a folder names must pass the gate before it is used. Uses
 * (trust/use.ts) that are allowed pass. For the others, the gate asks the user on a terminal. Without a terminal, it
 * refuses them and prints the command that would allow them.
 */
import { programName } from '../output/program-name.ts'
import { createInterface } from 'node:readline/promises'
import { relative } from 'node:path'
import { UsageError, plain, shellPath, shellWord } from '@assay/contract'
import {
  allow,
  decideTrust,
  identityOf,
  isAllowed,
  isTrustedByEnvironment,
  readTrust,
  shortUseText,
  useText,
  type Untrusted,
  type Use,
} from '../../trust/index.ts'
import { warn, type Output } from '../output/output.ts'

export type Say = Pick<Output, 'err' | 'colors'>

export interface TrustGate {
  /** Asks the user if needed. Returns if all uses are allowed, otherwise throws a `UsageError`. */
  readonly pass: (uses: readonly Use[], consented?: ReadonlySet<string>) => Promise<void>
  /** Returns whether a use is allowed, without asking the user. */
  readonly allows: (use: Use, consented?: ReadonlySet<string>) => boolean
}

export interface GateOptions {
  /** Whether `--trust` was given, which allows everything for this command only. */
  readonly trust?: boolean | undefined
  readonly env?: NodeJS.ProcessEnv
  /** Asks the user. Null if there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | null
}

export function trustGate(options: GateOptions, output: Say): TrustGate {
  const { env = process.env, ask = terminalQuestion() } = options
  const all = options.trust === true || isTrustedByEnvironment(env)
  const store = readTrust(env)
  if (store.damage !== null && !all)
    warn(output, `${store.file} cannot be read, so nothing is trusted (${store.damage})`)
  const granted = new Map(store.roots)
  const known = { store: { roots: granted }, all }
  const withConsent = (consented?: ReadonlySet<string>) =>
    consented === undefined ? known : { ...known, consented }
  return {
    allows: (use, consented) => isAllowed(use, withConsent(consented)),
    async pass(uses, consented) {
      const { missing } = decideTrust(uses, withConsent(consented))
      if (missing.length === 0) return
      if (ask === null) throw refusal(missing)
      for (const { root, uses: list } of missing) {
        output.err(`${listing(root, list).join('\n')}\n`)
        if (
          !isYes(
            await ask(
              'Trust this folder with that? It is asked again only when something is added. [y/N] ',
            ),
          )
        )
          throw new UsageError(
            'the folder is not trusted: nothing was started and nothing was sent',
          )
        const identities = list.map(identityOf)
        allow(env, root, identities)
        granted.set(root, [...(granted.get(root) ?? []), ...identities])
      }
    },
  }
}

/** Returns a function that asks the user, or null if there is no terminal. */
export function terminalQuestion(): ((question: string) => Promise<string>) | null {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) return null
  return async (question) => {
    const lines = createInterface({ input: stdin, output: stderr })
    // If the input ends, the answer counts as empty. Otherwise the command would wait forever.
    const closed = new Promise<string>((settle) => lines.once('close', () => settle('')))
    try {
      return await Promise.race([lines.question(question), closed])
    } finally {
      lines.close()
    }
  }
}

export const isYes = (answer: string): boolean => /^\s*y(?:es)?\s*$/iu.test(answer)

/**
 * Returns the list of uses that the user is asked to allow. Long descriptions are printed first and in full, because
 * the user must be able to see everything. The list itself is last, next to the question, and shortens long
 * descriptions in the middle.
 */
export function listing(root: string, uses: readonly Use[]): string[] {
  const long = uses.filter((use) => shortUseText(use) !== useText(use))
  return [
    ...(long.length === 0 ? [] : ['In full, because the list below leaves out their middle:']),
    ...long.map((use) => `  ${useText(use)}\n`),
    `${plain(root)} is not trusted yet. It would`,
    ...uses.map((use) => `  ${shortUseText(use)}`),
  ]
}

function refusal(missing: readonly Untrusted[]): UsageError {
  const lines = missing.flatMap(({ root, uses }) => listing(root, uses))
  const all = missing.flatMap(({ uses }) => uses)
  return new UsageError(
    [
      ...lines,
      'Nothing was started and nothing was sent. Look at it first; then allow it',
      `  always:  ${trustCommand(all)}`,
      '  once:    the same command with --trust, or with ASSAY_TRUST=1 in its environment',
    ].join('\n'),
  )
}

/** Returns the command with which the user can allow these uses. */
export function trustCommand(uses: readonly Use[]): string {
  const files = [...new Set(uses.flatMap(({ by }) => by.file ?? []))].map(shownFile)
  const flags = [...new Set(uses.flatMap(({ flags: list = [] }) => list.map(shellWord).join(' ')))]
  return [
    `${programName()} trust`,
    ...flags.filter((flag) => flag !== ''),
    ...files.map(shellPath),
  ].join(' ')
}

/** Returns the path relative to the working directory if it is inside of it, otherwise the full path. */
function shownFile(file: string): string {
  const path = relative('.', file)
  return path.startsWith('..') || path === '' ? file : path
}
