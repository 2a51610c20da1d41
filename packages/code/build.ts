/**
 * Bundles each program that runs in the sandbox for TypeScript into one file, in the folder given or in
 * `dist`. Node takes more than a millisecond for each module that it loads, and a process is started for
 * every solution. This happens at build time, because the bundler (21 MB) would be a fifth of an
 * installation; `host/bundle.ts` runs this file where it runs from sources.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const PROGRAMS = ['tester', 'solution', 'in-process']

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The source of a function that does what the module does. */
async function bundle(program: string): Promise<string> {
  const build = await rolldown({
    input: file(`src/languages/typescript/sandboxed/${program}.ts`),
    platform: 'node',
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
  return `(function () {'use strict'\n${chunk.code}\n})`
}

const folder = process.argv[2] ?? file('dist/languages/typescript/sandboxed/bundles')
mkdirSync(folder, { recursive: true })
for (const program of PROGRAMS) {
  const path = join(folder, `${program}.js`)
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, await bundle(program))
  renameSync(temporary, path)
}
