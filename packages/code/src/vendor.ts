/**
 * Packages that the user has put next to the suite, in the folder `vendor`, with a subfolder for each language. A suite
 * may be untrusted, so the packages must be inside the suite's repository. A link that leads out of the repository is
 * ignored, because it could show other files of the user to the solution. A link to its `.git`, which may contain a
 * login, or to the whole repository is ignored too.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isVersionControl, realPathIn, repositoryOf } from '@assay/sandbox'

/** Returns the absolute path of `vendor` in the suite's folder, or null if there is none. */
export function vendorOf(folder: string): string | null {
  const vendor = resolve(folder, 'vendor')
  return existsSync(vendor) ? vendor : null
}

/**
 * Returns the real path of a file or folder in `vendor`, or null if it does not exist, leads out of the repository, or
 * would show its `.git` to tests and solutions.
 */
export function vendored(vendor: string | null, ...names: readonly string[]): string | null {
  if (vendor === null) return null
  const folder = dirname(vendor)
  const real = realPathIn(folder, join(vendor, ...names))
  if (real === null) return null
  const inside = relative(repositoryOf(realpathSync(folder)), real)
  return inside === '' || inside.split(sep).some(isVersionControl) ? null : real
}

/** Returns one sentence for each language folder that exists but cannot be used. */
export function unusableVendor(vendor: string | null, folders: ReadonlySet<string>): string[] {
  if (vendor === null) return []
  return [...folders]
    .filter((name) => existsSync(join(vendor, name)) && vendored(vendor, name) === null)
    .map(
      (name) =>
        `vendor/${name} is a link that leads out of the suite's repository, to all of it or to its .git: put the packages into a folder next to the suite`,
    )
}
