/**
 * Bundles the programs for the sandbox, each into one precompiled file: one process is started for every solution,
 * and Node takes more than a millisecond per loaded module. The package build does this in advance (build.ts). When
 * run from sources, the programs are bundled here, by the same code.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The script that Node starts. It drops root privileges if it has them. A compiled cache that is missing or does not
 * fit this Node version is ignored.
 */
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

/** Compiles all functions, not only those that run immediately. Then restores the default flags. */
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
 * Writes each program into a folder with its name, together with the file that starts it. The programs must be
 * started with these flags. Returns whether this Node supports the flags.
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
