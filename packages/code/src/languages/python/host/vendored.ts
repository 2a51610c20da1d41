/**
 * Packages that the user has installed next to the suite, in `vendor/python`, with `pip install --target`. The
 * solution and the tests can read them. Nothing is ever downloaded.
 */
import { readdirSync } from 'node:fs'
import { shellWord, type Dependency } from '@assay/contract'
import { vendored } from '../../../vendor.ts'

/** Returns the folder to add to `sys.path`, or null if there is none. */
export const packageFolder = (vendor: string | null): string | null => vendored(vendor, 'python')

/**
 * Returns the normalized name of a package. Python ignores case in package names and treats `-`, `_` and `.` as
 * equal.
 */
const plainName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** Returns the installed versions by normalized package name. */
function installed(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder)) {
    const [, name, version] = /^(.+?)-([^-]+)\.(?:dist|egg)-info$/.exec(entry) ?? []
    if (name !== undefined && version !== undefined) found.set(plainName(name), version)
  }
  return found
}

/**
 * Matches the name of a package, which may have extras: `name[extra]`. Only for such a name does the message suggest a
 * `pip install` command. The name comes from the suite, and pip could read anything else as a flag, a path or an address.
 */
const PIP_NAME = /^[a-z\d](?:[\w.-]*[a-z\d])?(?:\[[\w., -]*\])?$/i

export function missingPackages(
  dependencies: readonly Dependency[],
  vendor: string | null,
): readonly string[] {
  const folder = packageFolder(vendor)
  const found = folder === null ? new Map<string, string>() : installed(folder)
  return dependencies.flatMap(({ name, version }) => {
    const has = found.get(plainName(name))
    // Only pip can evaluate a version with an operator (`>=1.2`). If the case has such a version, any installed
    // version is accepted.
    const wanted = version !== null && /^[\d.]+$/.test(version) ? version : null
    if (has !== undefined && (wanted === null || has === wanted)) return []
    const spec = wanted === null ? name : `${name}==${wanted}`
    const is = has === undefined ? 'is not vendored' : `is vendored as ${has}, not ${wanted}`
    const how = PIP_NAME.test(name)
      ? `run \`pip install --target vendor/python ${shellWord(spec)}\` next to the suite`
      : 'pip knows no package with such a name'
    return [`the Python package ${name} ${is}: ${how}`]
  })
}
