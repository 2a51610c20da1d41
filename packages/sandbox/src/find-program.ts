/**
 * Where a program of the system is. The places where systems keep theirs are looked through too: a service
 * is often started with a short PATH, or none.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const USUAL = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/** The absolute path of the program, or null. Relative entries of PATH are whatever folder this is: skipped. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  const folders = [...path.split(delimiter), ...USUAL].filter(isAbsolute)
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
