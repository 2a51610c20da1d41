/**
 * Makes Node load the modules of a user's project as they are written. Two things are common in TypeScript projects,
 * but Node does not accept them. One is `import` and `export` in a package whose `type` is `commonjs`. The other is an
 * import without the file's extension, or with another one (`./dates` or `./dates.js` for `dates.ts`). Only the
 * processes that load a user's modules use this file.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Arguments for the Node process that loads a user's modules. The first argument turns off a long warning about a
 * package.json without `type`. The other arguments allow TypeScript syntax that creates code, such as `enum`, and turn
 * off the warning that this feature is experimental. They are left out if this version of Node does not have them.
 */
export const MODULE_FLAGS: readonly string[] = [
  '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
  ...(process.allowedNodeEnvironmentFlags.has('--experimental-transform-types')
    ? ['--experimental-transform-types', '--disable-warning=ExperimentalWarning']
    : []),
]

const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']

/** Returns the paths to try if no file exists at the imported path, in the same order as TypeScript tries them. */
function candidates(specifier: string): string[] {
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) return []
  const typescript = specifier.replace(/\.([cm]?)js$/, '.$1ts')
  if (typescript !== specifier) return [typescript]
  const folder = specifier.replace(/\/$/, '')
  return [
    ...ENDINGS.map((ending) => specifier + ending),
    ...ENDINGS.map((ending) => `${folder}/index${ending}`),
  ]
}

const SYNTAX =
  /^(?:import\s*(?:type\b|[\w*{$"'])|export\s+(?:default|declare|abstract|async|const|let|var|function|class|enum|type|interface|namespace)\b|export\s*[*{])/m
const IS_COMMONJS = /\bmodule\.exports\b|^exports\.|\brequire\(/m

/** Whether a file of a CommonJS package is written as an ES module. */
function isWrittenAsModule(url: string): boolean {
  try {
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return SYNTAX.test(text) && !IS_COMMONJS.test(text)
  } catch {
    // The file cannot be read. Node's loader reports that error when it opens the file.
    return false
  }
}

export function readProjectModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        for (const candidate of candidates(specifier))
          try {
            return next(candidate, context)
          } catch {
            // This error is ignored. The first error is thrown below, because it contains the path that the user wrote.
          }
        throw error
      }
    },
    load(url, context, next) {
      const { format } = context
      const isCommonJs = format === 'commonjs' || format === 'commonjs-typescript'
      if (!isCommonJs || !isProjectFile(url) || !isWrittenAsModule(url)) return next(url, context)
      return next(url, {
        ...context,
        format: format === 'commonjs' ? 'module' : 'module-typescript',
      })
    },
  })
}

/**
 * Whether Assay may choose the module type of the file. It never does so for installed packages, whose package.json
 * states their type correctly, nor for `.cjs` and `.cts` files, which are always CommonJS.
 */
const isProjectFile = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && /\.[jt]s(?:\?|$)/.test(url)
