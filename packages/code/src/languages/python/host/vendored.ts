/**
 * Packages that the user has put beside the suite, in `vendor/python`: what `pip install --target` makes.
 * They are shown to the sample and to the tests, read-only. Nothing is ever fetched.
 */
import { readdirSync } from 'node:fs'
import type { Dependency } from '@assay/contract'
import { vendored } from '../../../vendor.ts'

/** The folder for `sys.path`; null where there is none. */
export const packageFolder = (vendor: string | null): string | null => vendored(vendor, 'python')

/** Names of packages are the same in any case, and with any of `-_.` between their words. */
const plainName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** What is installed there, by plain name, with its version. */
function installed(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder)) {
    const [, name, version] = /^(.+?)-([^-]+)\.(?:dist|egg)-info$/.exec(entry) ?? []
    if (name !== undefined && version !== undefined) found.set(plainName(name), version)
  }
  return found
}

export function missingPackages(
  dependencies: readonly Dependency[],
  vendor: string | null,
): readonly string[] {
  const folder = packageFolder(vendor)
  const found = folder === null ? new Map<string, string>() : installed(folder)
  return dependencies.flatMap(({ name, version }) => {
    const has = found.get(plainName(name))
    // A version with an operator is a wish that only pip can tester; any will do.
    const wanted = version !== null && /^[\d.]+$/.test(version) ? version : null
    if (has !== undefined && (wanted === null || has === wanted)) return []
    const spec = wanted === null ? name : `${name}==${wanted}`
    const is = has === undefined ? 'is not vendored' : `is vendored as ${has}, not ${wanted}`
    return [
      `the Python package ${name} ${is}: run \`pip install --target vendor/python ${spec}\` beside the suite`,
    ]
  })
}
