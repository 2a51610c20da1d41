/**
 * Bundles the command and the library, in `dist/command`. The threads and processes that Assay starts use the other files of
 * `dist`.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleInto } from './bundle.ts'

const built = (path: string): string => fileURLToPath(new URL(`dist/${path}`, import.meta.url))

// The engine's compiled form of earlier bundles (bin/assay.js).
rmSync(built('compiled'), { recursive: true, force: true })

// `bin/assay.js` and the exports of package.json use these names. Their modules are shared: secrets are kept in one place.
await bundleInto('command', {
  environment: built('environment/index.js'),
  main: built('cli/main.js'),
  library: built('index.js'),
  'library-analyze': built('library/analyze-entry.js'),
  'library-compare': built('library/compare-entry.js'),
  'library-report': built('library/report-entry.js'),
})
