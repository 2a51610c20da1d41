/** Finds which module of the solution an import in the tests means. */

/** Returns the name of a file without its folder and extension. */
export const stemOf = (path: string): string =>
  (path.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '')

export interface SolutionModules {
  /** The paths of the modules that were loaded. */
  readonly paths: readonly string[]
  readonly main: string
  /** Names by which tests may import the main module; null if every relative path means it. */
  readonly names: readonly string[] | null
}

/** Returns the path of the module that the specifier means, or null if there is none. */
export function moduleFor(
  specifier: string,
  { paths, main, names }: SolutionModules,
): string | null {
  const stem = stemOf(specifier)
  const isOwn = stem === stemOf(main) || stem === 'solution'
  const isRelative = /^\.{1,2}(?:\/|$)|^\//.test(specifier)
  if (!isRelative && !isOwn) return null
  const found = paths.find((path) => stemOf(path) === stem)
  if (found !== undefined) return found
  const isMain = isOwn || names === null || names.includes(stem) || /^[./]+$/.test(specifier)
  return isMain && paths.includes(main) ? main : null
}
