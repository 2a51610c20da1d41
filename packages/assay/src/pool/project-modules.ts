/**
 * Lets the modules of a user's project load as they are written. Two habits of TypeScript projects are foreign to Node:
 * `import` and `export` in a package whose `type` is `commonjs`, and imports without the ending of the file
 * (`./dates`, or `./dates.js` for `dates.ts`). It is used only in the processes that load such modules.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Arguments of Node for a process that loads a user's modules. The first turns off a long warning about a package.json
 * without `type`. The others, where this Node has them, allow syntax that is more than types, such as `enum`, without
 * the warning that this is an experiment.
 */
export const MODULE_FLAGS: readonly string[] = [
  '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
  ...(process.allowedNodeEnvironmentFlags.has('--experimental-transform-types')
    ? ['--experimental-transform-types', '--disable-warning=ExperimentalWarning']
    : []),
]

const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']

/** What a path without a file may stand for, in the order of TypeScript. */
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
    // The loader reports a file that cannot be read.
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
            // The first error names what the user wrote.
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

/** Packages say themselves what they are. `.cjs` and `.cts` are CommonJS in every project. */
const isProjectFile = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && /\.[jt]s(?:\?|$)/.test(url)
