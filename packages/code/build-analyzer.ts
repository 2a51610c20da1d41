/**
 * Bundles the analyzer for TypeScript into one file, with the JavaScript of the parser and the client of the type
 * checker. Not bundled, these are 150 modules, which take twice as long to load. Also prepares the declarations of
 * TypeScript that solutions are checked with.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { ANALYZER_START } from './src/languages/typescript/host/bundle.ts'
import { findTools } from './src/languages/typescript/host/programs.ts'
import {
  joinLibrary,
  withoutComments,
} from './src/languages/typescript/sandboxed/analyze/library.ts'

const SOURCE = fileURLToPath(
  new URL('src/languages/typescript/sandboxed/analyze/analyzer.ts', import.meta.url),
)

/** The licences that the bundle must contain. */
const LICENCES = {
  typescript: ['LICENSE.txt', 'LICENSE', 'NOTICE.txt'],
  'oxc-parser': ['LICENSE'],
} as const

export function write(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

function licencesOf(name: keyof typeof LICENCES): string[] {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  const paths = LICENCES[name].map((file) => join(folder, file)).filter((path) => existsSync(path))
  if (paths.length < Math.min(2, LICENCES[name].length))
    throw new Error(`${folder} lacks its licence or its notice`)
  return paths.map((path) => readFileSync(path, 'utf8'))
}

/**
 * Writes the analyzer and the script that starts it into the folder of the sandboxed programs. Returns the path of the
 * bundle. Code in the bundle can use paths relative to its own file, because the bundle is in the same folder as the
 * modules.
 */
export async function writeAnalyzer(folder: string, plugin: Plugin): Promise<string> {
  const build = await rolldown({
    input: SOURCE,
    platform: 'node',
    plugins: [plugin],
    onLog(_, { code, message, id = '' }) {
      // This code of TypeScript uses its own path to look for the type checker. It is not needed here, because the
      // analyzer passes the path of the type checker.
      if (code === 'EMPTY_IMPORT_META' && id.includes('/typescript/lib/')) return
      throw new Error(`analyzer: ${message}`)
    },
  })
  const { output } = await build.generate({
    format: 'cjs',
    charset: 'ascii',
    comments: false,
    codeSplitting: false,
  })
  await build.close()
  const [chunk, ...more] = output
  if (more.length > 0) throw new Error('the analyzer is not one file')
  const licences = [...licencesOf('typescript'), ...licencesOf('oxc-parser')]
    // The bundle must be ASCII, and `*/` would end the comment around the licences.
    .map((text) => text.replaceAll(/[^\0-\x7f]/g, '?').replaceAll('*/', '* /'))
  const path = join(folder, 'analyzer.js')
  write(
    path,
    `/*\n${licences.join('\n')}*/\n(function (require, __filename) {'use strict';\n${chunk.code}\n})`,
  )
  write(join(folder, 'analyzer-start.cjs'), ANALYZER_START)
  return path
}

/** Returns the declarations of TypeScript without their comments, as JSON. */
export function preparedLibrary(): string {
  const library = joinLibrary(dirname(findTools().checker))
  return JSON.stringify({ ...library, text: withoutComments(library.text) })
}
