/**
 * Finds programs of the system. The usual folders for programs are searched in addition to PATH, because services
 * are often started with a short PATH or without one.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isWithin, nearestRepository } from './repository/repository.ts'

const USUAL = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/**
 * Returns the folders of PATH in which programs may be searched. Folders are left out if they could contain programs
 * of the repository that the user works in, because an untrusted repository could then replace a system program.
 * These are empty and relative entries, which depend on the working directory, and the `node_modules/.bin` folders of
 * the repository and of the folders above the working directory. npx and npm put the latter before all others.
 */
export function foldersOnPath(path = process.env['PATH'] ?? '', here = workFolder()): string[] {
  const isProjects = isOfProject(here)
  return path.split(delimiter).filter((folder) => isAbsolute(folder) && !isProjects(folder))
}

/**
 * Returns the PATH for programs that Assay itself starts. Such a program may be a script that starts other programs by
 * name, as xdg-open does. These must not come from an untrusted repository.
 */
export const programPath = (path?: string): string =>
  [...new Set([...foldersOnPath(path), ...USUAL])].join(delimiter)

/**
 * Returns the PATH for a command that the user names, which may be a program of the project. The project's folders come
 * last. So if the command is a script, its interpreter and the programs that it starts by name are those of the
 * machine, if it has them.
 */
export function commandPath(path: string): string {
  const before = foldersOnPath(path)
  return [...before, ...path.split(delimiter).filter((one) => !before.includes(one))].join(
    delimiter,
  )
}

/** Returns the working directory of this process; null if it was deleted. */
function workFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

const PACKAGES_BIN = /[\\/]node_modules[\\/]+\.bin[\\/]*$/u

function isOfProject(here: string | null): (folder: string) => boolean {
  if (here === null) return (folder) => PACKAGES_BIN.test(folder)
  const [real, repository] = [realOf(here), nearestRepository(realOf(here))]
  return (folder) => {
    if (!PACKAGES_BIN.test(folder)) return false
    const project = realOf(dirname(dirname(folder)))
    return isWithin(real, project) || isWithin(project, repository)
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Returns the absolute path of the program, or null if there is none. */
export function findProgram(name: string, path?: string): string | null {
  const folders = [...foldersOnPath(path), ...USUAL]
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
