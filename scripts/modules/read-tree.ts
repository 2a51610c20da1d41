/** Reads the source files of this repository for the checks of modules and names. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './check.ts'

export const root: string = join(import.meta.dirname, '../..')

/** Returns all files below `packages` that git tracks, and new files that git does not ignore. */
export function packageFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', 'packages']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
}

/** Returns the source files to check. Tests are left out, because they may import any file of a module. */
export function sourceTree(files: readonly string[] = packageFiles()): Tree {
  const sources = files.filter(
    (file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
  )
  return new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}
