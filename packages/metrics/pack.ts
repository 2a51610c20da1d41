/**
 * Prepares the package for publishing: replaces `dist/index.js` by one file with all modules, without comments and spaces. It
 * works in the folder that is given as an argument, or in this package. The `.d.ts` files keep the comments of their
 * declarations, because editors show them, but not the comment about the file. Afterwards, `postpack` builds the package again, to restore the ordinary `dist`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = join(process.argv[2] ?? import.meta.dirname, 'dist')
const build = await rolldown({
  input: join(folder, 'index.js'),
  platform: 'neutral',
  tsconfig: false,
})
await build.write({
  file: join(folder, 'index.js'),
  format: 'esm',
  comments: false,
  // Names stay as they are, so that errors can be read.
  minify: { compress: true, mangle: false },
})
await build.close()

/** Matches a comment at the start of a file that belongs to no declaration: an import, export list or comment follows. */
const ABOUT_FILE = /^\/\*\*(?:(?!\*\/)[^])*\*\/\n(?=import |export (?:type )?[{*]|\/\*\*)/u

for (const name of globSync('**/*.d.ts', { cwd: folder })) {
  const file = join(folder, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace(ABOUT_FILE, ''))
}
