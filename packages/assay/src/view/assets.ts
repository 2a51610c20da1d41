/** The files of the workbench's pages. The build writes them to `dist/workbench`. */
import { readFileSync } from 'node:fs'
import { RunError } from '@assay/contract'

export interface Asset {
  readonly type: string
  readonly content: Buffer
}

const ASSETS: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/workbench.js': { file: 'workbench.js', type: 'text/javascript; charset=utf-8' },
  '/workbench.css': { file: 'workbench.css', type: 'text/css; charset=utf-8' },
}

/** Returns the file for the path of a request. Null if there is no such file. */
export function assetAt(path: string): Asset | null {
  const asset = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined
  return asset === undefined ? null : { type: asset.type, content: readAsset(asset.file) }
}

/**
 * Reads a file of the pages. Both folders are tried, because tests run from the sources and find the files in
 * `dist`.
 */
export function readAsset(file: string): Buffer {
  for (const place of ['../workbench/', '../../dist/workbench/']) {
    try {
      return readFileSync(new URL(`${place}${file}`, import.meta.url))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new RunError('the pages are not built: `npm run build` makes dist/workbench')
}
