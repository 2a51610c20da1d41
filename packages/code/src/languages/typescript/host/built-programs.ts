/**
 * Finds the programs for the sandbox that the package build wrote. In an installed package, they are next to this
 * folder. If Assay runs from its sources, as in its tests, the programs in `dist` are used, unless a source has
 * changed since the build. Bundling the programs again would take half a second for each set of tools that is opened.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url))

/** The file in which the build lists the files that the programs are made of. It is not published. */
export const INPUTS = 'dist/.inputs.json'

const hashOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

/** Returns what the build writes to `INPUTS`: each path, relative to the package, with the hash of the content. */
export const hashInputs = (folder: string, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, hashOf(join(folder, path))]))

/** Whether the build of the package in this folder was made from the files as they are now. */
export function isUpToDate(folder: string): boolean {
  try {
    const text = readFileSync(join(folder, INPUTS), 'utf8')
    const inputs = Object.entries(JSON.parse(text) as Record<string, string>)
    return inputs.every(([path, hash]) => hashOf(join(folder, path)) === hash)
  } catch {
    // There is no build, or a source file was removed since the build.
    return false
  }
}

let found: string | null | undefined

/** Returns the folder with the analyzer and the folder `bundles`. Null if the programs must be bundled first. */
export function builtPrograms(): string | null {
  const isBuilt = extname(import.meta.url) === '.js'
  if (found === undefined)
    if (isBuilt) found = fileURLToPath(new URL('../sandboxed', import.meta.url))
    else found = isUpToDate(PACKAGE) ? join(PACKAGE, 'dist/languages/typescript/sandboxed') : null
  return found
}
