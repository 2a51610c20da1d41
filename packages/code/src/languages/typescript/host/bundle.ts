/**
 * The programs for the sandbox, each as one file that is compiled beforehand: one process is started for
 * every solution, and Node takes more than a millisecond for each module that it loads. They are bundled
 * when the package is built (build.ts). From sources they are bundled here, by the same program.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What Node starts. It drops root, where it has it. Compiled code that does not fit this Node, or is missing, is ignored. */
const START = `'use strict'
const user = Number(process.argv.pop())
if (user !== 0) {
  process.setgroups([])
  process.setgid(user)
  process.setuid(user)
}
const { readFileSync } = require('node:fs')
const { constants, Script } = require('node:vm')
let cachedData
try {
  cachedData = readFileSync(__dirname + '/code.compiled')
} catch {}
const filename = __dirname + '/code.js'
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
const options = { filename, cachedData, importModuleDynamically }
new Script(readFileSync(filename, 'latin1'), options).runInThisContext()()
`

/** Compiles all functions, not only those that run at once; then as if nothing was special about it. */
const COMPILE = `
const { readFileSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')
const { setFlagsFromString } = require('node:v8')
setFlagsFromString('--no-lazy')
const scripts = process.argv.slice(1).map((folder) => {
  const filename = folder + '/code.js'
  return [folder, new Script(readFileSync(filename, 'latin1'), { filename })]
})
setFlagsFromString('--lazy')
for (const [folder, script] of scripts)
  writeFileSync(folder + '/code.compiled', script.createCachedData())
`

/**
 * Writes programs into folders of their names, each with the file that starts it. They are to be started
 * with the flags given; says whether this Node knows them.
 */
export function writePrograms(
  folder: string,
  names: readonly string[],
  flags: readonly string[],
): boolean {
  const isBuilt = extname(import.meta.url) === '.js'
  if (!isBuilt) execFileSync(process.execPath, [here('../../../../build.ts'), folder])
  const folders = names.map((name) => join(folder, name))
  for (const [index, into] of folders.entries()) {
    mkdirSync(into)
    const code = join(into, 'code.js')
    if (isBuilt) copyFileSync(here(`../sandboxed/bundles/${names[index]}.js`), code)
    else renameSync(join(folder, `${names[index]}.js`), code)
    writeFileSync(join(into, 'start.cjs'), START)
  }
  try {
    const words = [...flags, '-e', COMPILE, ...folders]
    execFileSync(process.execPath, words, { cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
