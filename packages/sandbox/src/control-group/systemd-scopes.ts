/**
 * Control groups that systemd creates, which it does for ordinary users too. `systemd-run --scope` requests a scope
 * (a group with limits), enters it and then executes the program in its own process. So the process stays a child of
 * this one. The environment variables that `systemd-run` needs to reach systemd are removed before the program
 * starts.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findProgram } from '../find-program.ts'
import type { Amounts } from './available.ts'

export interface Scopes {
  start(
    limits: Amounts,
    env: Readonly<Record<string, string>>,
  ): { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }
}

/** The variables that tell `systemd-run --user` how to reach the user's systemd. */
const VARIABLES = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']
const TRY_MS = 5000

/** Returns null if systemd does not run, has no session for this user, or refuses to create a scope. */
export function findScopes(): Scopes | null {
  const [run, env, nothing] = [findProgram('systemd-run'), findProgram('env'), findProgram('true')]
  if (run === null || env === null || nothing === null || !existsSync('/run/systemd/system'))
    return null
  const scopes = makeScopes({ run, env, isRoot: process.getuid?.() === 0, own: process.env })
  const { words, env: given } = scopes.start({ memoryBytes: 2 ** 28, processes: 64 }, {})
  const [program = '', ...rest] = words
  const options = { cwd: '/', env: given, stdio: 'ignore', timeout: TRY_MS } as const
  const { status } = spawnSync(program, [...rest, nothing], options)
  return status === 0 ? scopes : null
}

export interface SystemdPrograms {
  readonly run: string
  readonly env: string
  readonly isRoot: boolean
  /** The environment variables of this process. */
  readonly own: Readonly<Record<string, string | undefined>>
}

export function makeScopes({ run, env: envProgram, isRoot, own }: SystemdPrograms): Scopes {
  const reached = Object.fromEntries(
    VARIABLES.flatMap((name) => {
      const value = own[name]
      return isRoot || value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    start: ({ memoryBytes, processes }, env) => ({
      env: reached,
      words: [
        ...[run, ...(isRoot ? [] : ['--user']), '--scope', '--quiet', '--collect'],
        ...['-p', `TasksMax=${processes}`],
        ...(memoryBytes === Infinity
          ? []
          : ['-p', `MemoryMax=${Math.floor(memoryBytes)}`, '-p', 'MemorySwapMax=0']),
        '--',
        envProgram,
        ...Object.keys(reached).flatMap((name) =>
          env[name] === undefined ? ['-u', name] : [`${name}=${env[name]}`],
        ),
      ],
    }),
  }
}
