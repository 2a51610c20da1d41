/**
 * Files that the package build prepares for one version of Node: compiled programs, and the type declarations of
 * Node's modules. They are used only with the same version, platform and architecture. Otherwise, Assay makes them
 * again when it runs. TypeScript's own type declarations are prepared in the same way for one version of TypeScript.
 */
import { readFileSync } from 'node:fs'

/**
 * The folder of the prepared files. It is next to this module, and also next to the bundle that contains this module.
 */
const here = new URL('./bundles/', import.meta.url)

/** The names of the files that the package build writes into this folder. */
export const BUILT_FOR = 'node-version'
export const NODE_MODULES = 'node-modules.d.ts'
export const BUILT_LIBRARY = 'library.json'

export const thisNode = (): string => `${process.version} ${process.platform} ${process.arch}`

export const isBuiltHere = (folder: URL = here): boolean =>
  readBuilt(BUILT_FOR, folder) === thisNode()

/**
 * Returns the content of a file from the build. Null if it does not exist, for example because Assay runs from its
 * sources.
 */
export function readBuilt(name: string, folder: URL = here): string | null {
  try {
    return readFileSync(new URL(name, folder), 'utf8')
  } catch {
    return null
  }
}
