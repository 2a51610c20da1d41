/**
 * Packages that the user has vendored beside the suite, in `vendor`: a folder for each language. A suite may
 * come from a stranger, so such a folder lies in the suite's repository; a link that leads out of it is none.
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { realPathIn } from '@assay/sandbox'

/** Absolute; null where there is none. `folder` is the suite's. */
export function vendorOf(folder: string): string | null {
  const vendor = resolve(folder, 'vendor')
  return existsSync(vendor) ? vendor : null
}

/** A file or folder in it, without links; null where it is not there or leads out of the repository. */
export const vendored = (vendor: string | null, ...names: readonly string[]): string | null =>
  vendor === null ? null : realPathIn(dirname(vendor), join(vendor, ...names))

/** Which of the languages' folders are there and cannot be used, each as a sentence. */
export function unusableVendor(vendor: string | null, folders: ReadonlySet<string>): string[] {
  if (vendor === null) return []
  return [...folders]
    .filter((name) => existsSync(join(vendor, name)) && vendored(vendor, name) === null)
    .map(
      (name) =>
        `vendor/${name} is a link that leads out of the suite's repository: put the packages into a folder beside the suite`,
    )
}
