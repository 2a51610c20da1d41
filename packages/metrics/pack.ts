/**
 * Prepares the package for publishing: replaces `dist/index.js` by one file with all modules, without comments and spaces. It
 * works in the folder that is given as an argument, or in this package. The `.d.ts` files keep their comments,
 * because editors show them. Afterwards, `postpack` builds the package again, to restore the ordinary `dist`.
 */
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
