/**
 * Finds programs of the system. The usual folders for programs are searched in addition to PATH, because services
 * are often started with a short PATH or without one.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const USUAL = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/**
 * Returns the folders of PATH, except empty and relative entries. Those depend on the working directory: a program
 * found there would come from the repository that the user works in.
 */
export const foldersOnPath = (path = process.env['PATH'] ?? ''): string[] =>
  path.split(delimiter).filter(isAbsolute)

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
