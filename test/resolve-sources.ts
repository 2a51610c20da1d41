/**
 * Resolves packages to their sources for threads that tests start. Node loads those threads, not Vitest. See
 * `sources.ts`.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { sources } from './sources.ts'

// As in the command: Node may not free WebAssembly while several threads use some.
setFlagsFromString('--no-wasm-code-gc')

registerHooks({
  resolve(specifier, context, next) {
    const file = sources[specifier]
    return file === undefined
      ? next(specifier, context)
      : { url: pathToFileURL(file).href, shortCircuit: true }
  },
})
