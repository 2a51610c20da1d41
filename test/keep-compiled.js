/**
 * Keeps what Node compiles, for the threads and processes that tests start from sources. Without it, each of them removes
 * the types from every file again, which takes three quarters of its start. This file is JavaScript, because Node
 * loads its compiler of types before the first TypeScript file.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../node_modules/.cache/assay-sources', import.meta.url))

// Vitest sets the variable to measure coverage, which compiled code would falsify.
if (process.env['NODE_DISABLE_COMPILE_CACHE'] === undefined) {
  enableCompileCache(folder)
  // For the processes that inherit the variables of this one. Threads do not: they import this file.
  process.env['NODE_COMPILE_CACHE'] = folder
}
