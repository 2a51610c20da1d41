/**
 * Bundles each program that runs in the sandbox for TypeScript into one file. The files are written to the given
 * folder, or to `dist`. A process is started for every solution, and Node takes more than a millisecond for each
 * module that it loads, so one file saves time. The programs are bundled when the package is built, because the
 * bundler (21 MB) would otherwise make up a fifth of an installation. If Assay runs from its sources,
 * `host/bundle.ts` runs this file. In `dist`, the programs are also compiled for the Node version that builds them,
 * the declarations of its modules are written, and ruff is compiled for it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { compileRuff } from './build-ruff.ts'
import { hashInputs, INPUTS } from './src/languages/typescript/host/built-programs.ts'
import { compile, type Kind } from './src/languages/typescript/host/bundle.ts'
import { ambientModules } from './src/languages/typescript/sandboxed/analyze/ambient.ts'
import {
  BUILT_FOR,
  NODE_MODULES,
  thisNode,
} from './src/languages/typescript/sandboxed/built-for.ts'

const PROGRAMS: readonly Kind[] = ['tester', 'solution', 'in-process']

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The files that bundles are made of. This file and `bundle.ts` decide how. */
const inputs = new Set([file('build.ts'), file('src/languages/typescript/host/bundle.ts')])

/** Notes every file that a bundle is made of. A module that the bundler makes itself has a name that is no path. */
const noteInputs: Plugin = {
  name: 'note-inputs',
  moduleParsed({ id }) {
    if (isAbsolute(id)) inputs.add(id)
  },
}

/** The source of a function that does what the module does. With `exports`, it returns the module's exports. */
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
  // A module that stays outside would be looked at anew at each use: see sandboxed/builtins.ts.
  if (more.length > 0 || chunk.imports.length > 0)
    throw new Error(`${program} is not one file: ${chunk.imports.join(', ')}`)
  const before = exports ? 'const exports = {};' : ''
  const after = exports ? 'return exports' : ''
  return `(function () {'use strict';${before}\n${chunk.code}\n${after}})`
}

function write(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

const given = process.argv[2]
const folder = given ?? file('dist/languages/typescript/sandboxed/bundles')
mkdirSync(folder, { recursive: true })
// A build that fails half-way must not count as one of the current sources.
if (given === undefined) rmSync(file(INPUTS), { force: true })
const paths = new Map(PROGRAMS.map((program) => [program, join(folder, `${program}.js`)] as const))
for (const [program, path] of paths)
  write(path, await bundle(program, file(`src/languages/typescript/sandboxed/${program}.ts`)))

// Tests that use chai get the real one. Its licence asks to be kept with it.
const chai = createRequire(import.meta.url).resolve('chai')
const licence = readFileSync(join(dirname(chai), 'LICENSE'), 'utf8')
write(join(folder, 'chai.js'), `/*\n${licence}*/\n${await bundle('chai', chai, true)}`)

/**
 * The analyzer, with the client of the type checker, which is loaded when a solution is checked first. Not bundled, both
 * have 150 modules, which take twice as long to load. What is found next to a module of `sandboxed` is found next to
 * the bundle, too.
 */
async function bundleAnalyzer(): Promise<void> {
  const build = await rolldown({
    input: { analyzer: file('src/languages/typescript/sandboxed/analyze/analyzer.ts') },
    platform: 'node',
    plugins: [noteInputs],
    external: ['oxc-parser'],
    onLog(_, { message }) {
      throw new Error(`analyzer: ${message}`)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    comments: false,
    chunkFileNames: 'type-checker.js',
  })
  await build.close()
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  const licences = ['LICENSE.txt', 'LICENSE', 'NOTICE.txt']
    .map((name) => join(typescript, name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
  if (licences.length < 2) throw new Error(`${typescript} lacks its licence or its notice`)
  for (const chunk of output) {
    if (chunk.type !== 'chunk') throw new Error(`analyzer: ${chunk.fileName} is no code`)
    const holdsTypescript = chunk.moduleIds.some((id) => id.startsWith(typescript))
    const before = holdsTypescript ? `/*\n${licences.join('\n')}*/\n` : ''
    write(file(`dist/languages/typescript/sandboxed/${chunk.fileName}`), before + chunk.code)
  }
}

if (given === undefined) {
  await bundleAnalyzer()
  compile(paths)
  write(join(folder, NODE_MODULES), ambientModules())
  write(join(folder, BUILT_FOR), thisNode())
  const root = file('.')
  const made = [...inputs].map((path) => relative(root, path)).toSorted()
  write(file(INPUTS), JSON.stringify(hashInputs(root, made)))
  compileRuff(file('dist/languages/python/sandboxed'), file('src/languages/python/sandboxed'))
}
