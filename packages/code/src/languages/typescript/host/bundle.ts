/**
 * A program for the sandbox as one file, compiled beforehand. Node takes more than a millisecond for each
 * module that it loads and some more to compile them, and one process is started for every sample. Only
 * our own modules are put together, which import and export in the plainest way: named, at the start of a
 * line.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const IMPORT = /^import\s+(?:(\w+)|(\{[^}]*\}))\s+from\s+'([^']+)';?[ \t]*$/gm
const EXPORT = /^export\s+((?:async\s+)?(?:function\*?|class|const|let)\s+(\w+))/gm

/** What Node starts. It lets go of root, where it has it. A compiled form that is not fit for this Node, or is missing, is passed over. */
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
new Script(readFileSync(filename, 'latin1'), options).runInThisContext()(require)
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
  entries: ReadonlyMap<string, URL>,
  flags: readonly string[],
): boolean {
  const folders = [...entries.keys()].map((name) => join(folder, name))
  for (const [name, entry] of entries) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'code.js'), bundled(entry))
    writeFileSync(join(folder, name, 'start.cjs'), START)
  }
  try {
    const words = [...flags, '-e', COMPILE, ...folders]
    execFileSync(process.execPath, words, { cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The source of a function that does what the module does; it is given `require`. */
function bundled(entry: URL): string {
  const parts: string[] = []
  const names = new Map<string, string>()
  const add = (url: URL, isEntry: boolean): string => {
    const known = names.get(url.href)
    if (known !== undefined) return known
    const name = `m${names.size}`
    names.set(url.href, name)
    const exported: string[] = []
    const code = plain(url)
      .replaceAll(
        IMPORT,
        (_, whole: string | undefined, named: string | undefined, from: string) => {
          const found = from.startsWith('.') ? add(new URL(from, url), false) : `require('${from}')`
          const wanted = whole ?? (named ?? '').replaceAll(/\s+as\s+/g, ': ')
          return `const ${wanted} = ${found}`
        },
      )
      .replaceAll(EXPORT, (_, declaration: string, what: string) => {
        exported.push(what)
        return declaration
      })
      .replaceAll(/^export\s*\{\s*\};?$/gm, '')
    parts.push(
      isEntry
        ? `void (async () => {\n${code}\n})()`
        : `const ${name} = (() => {\n${code}\nreturn { ${exported.join(', ')} }\n})()`,
    )
    return name
  }
  add(entry, true)
  const code = `(function (require) {'use strict'\n${parts.join('\n')}\n})`
  // One byte for each character is read the fastest. Where types were there may be spaces of other kinds.
  return code
    .replaceAll(/[^\S\t-\r ]/g, ' ')
    .replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function plain(url: URL): string {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const code =
    extname(url.pathname) === '.ts' ? stripTypeScriptTypes(source, { mode: 'strip' }) : source
  // Where all of an import was types, what is left of it means nothing.
  return code.replaceAll(/^import\s*\{\s*\}\s*from\s+'[^']+';?[ \t]*$/gm, '')
}
