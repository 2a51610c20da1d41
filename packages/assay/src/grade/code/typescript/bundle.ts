/**
 * The program that holds a sample, as one file. Node takes more than a millisecond for each module that
 * it loads, and one process is started for every sample. Only our own modules are put together, which
 * import and export in the plainest way: named, at the start of a line.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const IMPORT = /^import\s+(?:(\w+)|(\{[^}]*\}))\s+from\s+'([^']+)';?[ \t]*$/gm
const EXPORT = /^export\s+((?:async\s+)?(?:function\*?|class|const|let)\s+(\w+))/gm

/** The source of a CommonJS file that does what the module does. */
export function bundled(entry: URL): string {
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
  return `'use strict'\n${parts.join('\n')}\n`
}

function plain(url: URL): string {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const code =
    extname(url.pathname) === '.ts' ? stripTypeScriptTypes(source, { mode: 'strip' }) : source
  // Where all of an import was types, what is left of it means nothing.
  return code.replaceAll(/^import\s*\{\s*\}\s*from\s+'[^']+';?[ \t]*$/gm, '')
}
