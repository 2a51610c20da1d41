/**
 * Finds the Python that runs solutions: the system's Python, otherwise the first one in PATH. The latter may be a
 * shim: a small program of a version manager that starts the real interpreter. Then the real interpreter is used. The
 * interpreter and its library must be visible in the sandbox, so the interpreter is asked for the paths of both.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { foldersOnPath } from '@assay/sandbox'

export interface Interpreter {
  /** The path of the interpreter, with symbolic links resolved. */
  readonly program: string
  /** The version of Python, for example `3.11.2`. */
  readonly version: string
  /** The paths that the interpreter needs in addition to the system libraries. */
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

/** Returns the first usable interpreter, even if it is too old. Returns null if there is none. */
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
 * Runs an interpreter to get its version and paths. Returns null if it does not run. It runs in the folder `/`,
 * because a version manager's shim reads a file in the current folder, and that file could select another version.
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
