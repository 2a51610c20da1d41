/**
 * Which Python runs samples: the system's, else the first on the PATH that is no shim of a version manager
 * but the interpreter behind it. It must be shown in the sandbox with its library, so both are asked for.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { foldersOnPath } from '@assay/sandbox'

export interface Interpreter {
  /** The real file, with no links on its way. */
  readonly program: string
  /** `3.11.2` */
  readonly version: string
  /** What it needs beside the system's libraries. */
  readonly reads: readonly string[]
}

export const OLDEST = [3, 8]

const FIRST = ['/usr/bin/python3', '/usr/local/bin/python3']
const ZONES = '/usr/share/zoneinfo'

const ASK = `
import os, sys
print(os.path.realpath(sys.executable))
print('.'.join(map(str, sys.version_info[:3])))
print(os.path.realpath(sys.base_prefix))
`

let found: Promise<Interpreter | null> | undefined

/** The first that can be used, even where it is too old; null where there is none. */
export function findInterpreter(): Promise<Interpreter | null> {
  found ??= firstOf(interpreters())
  return found
}

export const isTooOld = ({ version }: Interpreter): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [least = 0, lesser = 0] = OLDEST
  return major < least || (major === least && minor < lesser)
}

export const interpreters = (path?: string): string[] => [
  ...FIRST,
  ...foldersOnPath(path).map((folder) => join(folder, 'python3')),
]

async function firstOf(programs: readonly string[]): Promise<Interpreter | null> {
  let old: Interpreter | null = null
  for (const program of programs) {
    const one = existsSync(program) ? await askInterpreter(program) : null
    if (one === null) continue
    if (!isTooOld(one)) return one
    old ??= one
  }
  return old
}

/**
 * What an interpreter says of itself; null where it does not run. A shim of a version manager would look for a
 * file of the folder that it is started in, and start what that names.
 */
export async function askInterpreter(program: string): Promise<Interpreter | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-I', '-S', '-c', ASK], {
      cwd: '/',
      timeout: 20_000,
      env: { PATH: foldersOnPath().join(delimiter), HOME: process.env['HOME'] ?? '' },
    })
    const [real = '', version = '', prefix = ''] = stdout.trim().split('\n')
    if (!real.startsWith('/')) return null
    const own = prefix === '/usr' ? [] : [prefix === '/usr/local' ? '/usr/local/lib' : prefix]
    return {
      program: real,
      version,
      reads: [
        real,
        ...own.filter((path) => existsSync(path)),
        ...(existsSync(ZONES) ? [ZONES] : []),
      ],
    }
  } catch {
    return null
  }
}
