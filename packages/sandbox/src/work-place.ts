/**
 * The folders and the environment variables of programs that run in a workspace. An agent, the setup commands of its
 * case and the commands that grade its work all get the same ones. So tests run for the grader as they ran for the
 * agent.
 */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, sep } from 'node:path'
import { findProgram } from './find-program.ts'
import { holdsHome } from './repository/repository.ts'

/** The folders that a program in a workspace uses. */
export interface WorkPlace {
  /** The folder that the agent works in and that is graded. */
  readonly folder: string
  readonly home: string
  readonly temporary: string
}

/** The paths at which programs see their folders, if the sandbox can mount folders at other paths. */
export const WORK_PLACE: WorkPlace = {
  folder: '/workspace',
  home: '/home/agent',
  temporary: '/tmp',
}

const SYSTEM_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]
const SHELL = '/bin/sh'
const USUAL_SHELL = '/bin/bash'
const USER = 'agent'

/**
 * Returns the environment variables of a program in a workspace. The folder of the Node that runs Assay comes first
 * in PATH, because the system's Node may be older. A case that needs another Node must give its path.
 */
export function workEnvironment(
  { home, temporary }: Pick<WorkPlace, 'home' | 'temporary'>,
  programs: readonly string[] = [],
): Record<string, string> {
  const npm = npmProgram()
  const path = [
    dirname(process.execPath),
    ...SYSTEM_FOLDERS,
    ...(npm === null || isSystems(npm) ? [] : [dirname(npm)]),
    ...programs.map((program) => dirname(program)),
  ]
  return {
    PATH: [...new Set(path)].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    USER,
    LOGNAME: USER,
    SHELL: existsSync(USUAL_SHELL) ? USUAL_SHELL : SHELL,
    LANG: 'C.UTF-8',
  }
}

/**
 * Returns the paths that must be visible for `npm` to work: its link and its package. Empty if npm is one of the
 * system's programs, which are visible anyway, or if there is none.
 */
export function npmReads(): readonly string[] {
  const npm = npmProgram()
  if (npm === null || isSystems(npm)) return []
  const real = realpathSync(npm)
  const parts = real.split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at === -1) return []
  const folder = parts.slice(0, at + 2).join(sep)
  const npx = `${dirname(npm)}/npx`
  return holdsHome(folder) ? [] : [npm, folder, ...(existsSync(npx) ? [npx] : [])]
}

let foundNpm: { readonly path: string | undefined; readonly npm: string | null } | null = null

/**
 * Returns the path of npm. The npm that was installed with our Node comes first, because it fits that Node. Then the
 * system's npm, then the user's. The search is repeated only if PATH changes, because it looks at many folders, and
 * every program in a workspace needs the result.
 */
function npmProgram(): string | null {
  const path = process.env['PATH']
  if (foundNpm === null || foundNpm.path !== path) {
    const npm = findProgram('npm', dirname(process.execPath)) ?? findProgram('npm')
    foundNpm = { path, npm }
  }
  return foundNpm.npm
}

const isSystems = (path: string): boolean => path.startsWith('/usr/') || path.startsWith('/bin/')
