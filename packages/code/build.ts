/**
 * Bundles each program that runs in the sandbox for TypeScript into one file. The files are written to the given
 * folder, or to `dist`. A process is started for every solution, and Node takes more than a millisecond for each
 * module that it loads, so one file saves time. The programs are bundled when the package is built, because the
 * bundler (21 MB) would otherwise make up a fifth of an installation. If Assay runs from its sources,
 * `host/bundle.ts` runs this file. In `dist`, the programs are also compiled for the Node version that builds them,
 * the declarations of its modules and of TypeScript are written, and ruff is compiled for it.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { preparedLibrary, write, writeAnalyzer } from './build-analyzer.ts'
import { compileRuff } from './build-ruff.ts'
import { hashInputs, INPUTS } from './src/languages/typescript/host/built-programs.ts'
import { compile, type Kind } from './src/languages/typescript/host/bundle.ts'
import { ambientModules } from './src/languages/typescript/sandboxed/analyze/ambient.ts'
import {
  BUILT_FOR,
  BUILT_LIBRARY,
  NODE_MODULES,
  thisNode,
} from './src/languages/typescript/sandboxed/built-for.ts'

const PROGRAMS: readonly Kind[] = ['tester', 'solution', 'in-process']

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The files from which the bundles are made. The first three files contain the code that makes them. */
const inputs = new Set([
  file('build.ts'),
  file('build-analyzer.ts'),
  file('src/languages/typescript/host/bundle.ts'),
])

/**
 * Records every file from which a bundle is made. Modules that the bundler generates have names that are not paths, so
 * they are left out.
 */
const noteInputs: Plugin = {
  name: 'note-inputs',
  moduleParsed({ id }) {
    if (isAbsolute(id)) inputs.add(id)
  },
}

/**
 * Returns the source of a function that does the same as the module. With `exports`, the function returns the module's
 * exports.
 */
async function bundle(program: string, input: string, exports = false): Promise<string> {
  const build = await rolldown({
    input,
    platform: 'node',
    plugins: [noteInputs],
    onLog(_, { message }) {
      throw new Error(`${program}: ${message}`)
    },
  })
  const { output } = await build.generate({ format: 'cjs', charset: 'ascii', comments: false })
  await build.close()
  const [chunk, ...more] = output
  // A module that is not in the bundle would be read again at each use, and a solution could have changed it by then:
  // see sandboxed/builtins.ts.
  if (more.length > 0 || chunk.imports.length > 0)
    throw new Error(`${program} is not one file: ${chunk.imports.join(', ')}`)
  const before = exports ? 'const exports = {};' : ''
  const after = exports ? 'return exports' : ''
  return `(function () {'use strict';${before}\n${chunk.code}\n${after}})`
}

const given = process.argv[2]
const folder = given ?? file('dist/languages/typescript/sandboxed/bundles')
mkdirSync(folder, { recursive: true })
// Remove the list of inputs first, so that a build that fails half-way does not count as up to date.
if (given === undefined) rmSync(file(INPUTS), { force: true })
const paths = new Map(PROGRAMS.map((program) => [program, join(folder, `${program}.js`)] as const))
for (const [program, path] of paths)
  write(path, await bundle(program, file(`src/languages/typescript/sandboxed/${program}.ts`)))

// Tests that use chai get the original library. Its licence must be distributed with it.
const chai = createRequire(import.meta.url).resolve('chai')
const licence = readFileSync(join(dirname(chai), 'LICENSE'), 'utf8')
write(join(folder, 'chai.js'), `/*\n${licence}*/\n${await bundle('chai', chai, true)}`)

if (given === undefined) {
  const analyzer = await writeAnalyzer(file('dist/languages/typescript/sandboxed'), noteInputs)
  compile(new Map<Kind, string>([...paths, ['analyzer', analyzer]]))
  write(join(folder, NODE_MODULES), ambientModules())
  write(join(folder, BUILT_LIBRARY), preparedLibrary())
  write(join(folder, BUILT_FOR), thisNode())
  const root = file('.')
  const made = [...inputs].map((path) => relative(root, path)).toSorted()
  write(file(INPUTS), JSON.stringify(hashInputs(root, made)))
  compileRuff(file('dist/languages/python/sandboxed'), file('src/languages/python/sandboxed'))
}
