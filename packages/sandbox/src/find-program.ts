/**
 * Where a program of the system is. The places where systems keep theirs are looked through too: a service
 * is often started with a short PATH, or none.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const USUAL = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/**
 * The folders of PATH without the empty and relative ones, which are below whatever folder this is: a program
 * there is one of the repository that the user looks at.
 */
export const foldersOnPath = (path = process.env['PATH'] ?? ''): string[] =>
  path.split(delimiter).filter(isAbsolute)

/** The absolute path of the program, or null. */
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
