/**
 * Where the sources of the packages are. Tests load them in place of the built files, so that the tests of
 * one module need no build.
 */
import { fileURLToPath } from 'node:url'

const source = (path: string): string =>
  fileURLToPath(new URL(`../packages/${path}`, import.meta.url))

/** Longer names come first, because an alias also matches names that only begin with it. */
export const sources: Readonly<Record<string, string>> = {
  '@assay/contract/hash': source('contract/src/hash.ts'),
  '@assay/contract': source('contract/src/index.ts'),
  '@assay/metrics': source('metrics/src/index.ts'),
  '@assay/sandbox': source('sandbox/src/index.ts'),
  '@assay/code': source('code/src/index.ts'),
  'assay/view-data': source('assay/src/report/view-data/index.ts'),
}
