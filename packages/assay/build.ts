/**
 * Bundles the command, in `dist/command`. The library, and the threads and processes that Assay starts, use the other
 * files of `dist`.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleInto } from './bundle.ts'

const built = (path: string): string => fileURLToPath(new URL(`dist/${path}`, import.meta.url))

// The engine's compiled form of earlier bundles (bin/assay.js).
rmSync(built('compiled'), { recursive: true, force: true })

// `bin/assay.js` imports them by these names. Their modules are shared: secrets are kept in one place.
await bundleInto('command', {
  environment: built('environment/index.js'),
  main: built('cli/main.js'),
})
