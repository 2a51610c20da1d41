/**
 * Turns a module into the body of a function, for solutions that are one file and import only Node's modules. Loading
 * such a body takes a tenth of the time that Node's module loader takes. Exports are live bindings, the code is
 * strict, and top-level await works, as in a real module. Node's module loader loads all other solutions.
 */
import { isBuiltin } from 'node:module'
import type { ParseResult } from 'oxc-parser'
import { edited, isKind, type Edit } from './syntax.ts'

const TEST_LIBRARIES = new Set(['vitest', '@jest/globals', 'bun:test', 'mocha', 'chai'])

interface Statement {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly declaration?: {
    readonly type: string
    readonly start: number
    readonly id?: { readonly name: string } | null
  } | null
}

/**
 * Turns a module into the body of a function. Null if the module needs Node's module loader. The body calls `__require`
 * to import a module and `__export` to export its values.
 */
export function moduleBody(source: string, parsed: ParseResult): string | null {
  const { staticImports, staticExports, dynamicImports, importMetas } = parsed.module
  if (dynamicImports.length > 0 || importMetas.length > 0) return null
  const edits: Edit[] = []
  const head: string[] = []
  for (const { start, end, moduleRequest, entries } of staticImports) {
    const { value: from } = moduleRequest
    if (!isBuiltin(from) && !TEST_LIBRARIES.has(from)) return null
    const found = `__require(${JSON.stringify(from)})`
    const named: string[] = []
    for (const { importName, localName } of entries)
      if (isKind(importName.kind, 'Name'))
        named.push(`${JSON.stringify(importName.name)}: ${localName.value}`)
      else head.push(`const ${localName.value} = ${found};`)
    if (named.length > 0) head.push(`const { ${named.join(', ')} } = ${found};`)
    edits.push({ start, end, text: '' })
  }
  const exported = new Map<string, string>()
  const statements = new Map(
    (parsed.program.body as unknown as readonly Statement[]).map((one) => [one.start, one]),
  )
  for (const { start, end, entries } of staticExports) {
    const statement = statements.get(start)
    if (statement === undefined || entries.some((one) => one.moduleRequest !== null)) return null
    const { declaration } = statement
    if (statement.type === 'ExportDefaultDeclaration') {
      if (declaration === null || declaration === undefined) return null
      const named = /^(?:Function|Class)Declaration$/.test(declaration.type)
        ? declaration.id?.name
        : undefined
      exported.set('default', named ?? '__default')
      const text = named === undefined ? 'const __default = ' : ''
      edits.push({ start, end: declaration.start, text })
      // End the statement with a semicolon. Otherwise the next statement could be parsed as a part of this
      // expression.
      if (named === undefined) edits.push({ start: end, end, text: ';' })
      continue
    }
    for (const { exportName, localName } of entries)
      exported.set(exportName.name ?? 'default', localName.name ?? '')
    if (declaration === null || declaration === undefined) edits.push({ start, end, text: '' })
    else edits.push({ start, end: declaration.start, text: '' })
  }
  const getters = [...exported].map(([name, local]) => `${JSON.stringify(name)}: () => ${local}`)
  return `'use strict'; return (async () => { __export({ ${getters.join(', ')} }); ${head.join(' ')}${edited(source, edits)}\n})()`
}
