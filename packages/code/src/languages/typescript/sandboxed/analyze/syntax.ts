/**
 * Reads the syntax tree of a file with the oxc parser: syntax errors, comments, and definitions. Also edits a
 * solution's modules so that they run: adds exports that the model forgot, and removes imports and exports of names
 * that are only types.
 */
import { parseSync, type ParseResult } from 'oxc-parser'
import type { Diagnostic } from '../../../../language.ts'
import { placeIn } from './source.ts'

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function edited(source: string, edits: readonly Edit[]): string {
  let text = source
  for (const { start, end, text: put } of edits.toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start) + put + text.slice(end)
  return text
}

type Kind = 'module' | 'script' | 'commonjs'

export const parse = (path: string, source: string, sourceType: Kind = 'module'): ParseResult =>
  parseSync(path, source, {
    sourceType,
    showSemanticErrors: true,
    astType: /\.[cm]?tsx?$/.test(path) ? 'ts' : 'js',
  })

/**
 * Compares a value of one of oxc's enumerations with a name. A comparison with `===` would be a type error, although
 * the values are strings at run time.
 */
export const isKind = (kind: string, wanted: string): boolean => kind === wanted

export function syntaxErrors(path: string, source: string, { errors }: ParseResult): Diagnostic[] {
  return errors
    .filter(({ severity }) => isKind(severity, 'Error'))
    .map(({ message, labels }) => ({
      file: path,
      ...placeIn(source, labels[0]?.start ?? 0),
      code: null,
      message,
    }))
}

interface Named {
  readonly type: string
  readonly name?: string
}

interface Statement {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly declaration?: Statement | null
  readonly declarations?: readonly { readonly id: Pattern; readonly init: Named | null }[]
  readonly id?: Named | null
  readonly declare?: boolean
  readonly expression?: { readonly type: string; readonly callee?: Named }
}

interface Pattern extends Named {
  readonly properties?: readonly { readonly value?: Pattern; readonly argument?: Pattern }[]
  readonly elements?: readonly (Pattern | null)[]
  readonly left?: Pattern
  readonly argument?: Pattern
}

const statements = (parsed: ParseResult): readonly Statement[] =>
  parsed.program.body as unknown as readonly Statement[]

const inside = (statement: Statement): Statement =>
  statement.type.startsWith('Export') && statement.declaration ? statement.declaration : statement

const TYPES = new Set([
  'ClassDeclaration',
  'ClassExpression',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
])
const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'TSDeclareFunction',
  'FunctionExpression',
  'ArrowFunctionExpression',
])

/** Returns the names of the functions and types at top level, exported or not. */
export function definedBy(parsed: ParseResult): { functions: string[]; types: string[] } {
  const functions = new Set<string>()
  const types = new Set<string>()
  for (const statement of statements(parsed).map(inside)) {
    const { type, id, declarations = [] } = statement
    const name = id?.name
    if (name !== undefined && FUNCTIONS.has(type)) functions.add(name)
    if (name !== undefined && TYPES.has(type)) types.add(name)
    for (const { id: variable, init } of declarations) {
      if (variable.name === undefined || init === null) continue
      if (FUNCTIONS.has(init.type)) functions.add(variable.name)
      if (TYPES.has(init.type)) types.add(variable.name)
    }
  }
  return { functions: [...functions], types: [...types] }
}

/** Returns the names of values declared at the top level of a JavaScript file. */
export function declaredValues(parsed: ParseResult): Set<string> {
  const names = new Set<string>()
  const add = (pattern: Pattern | null | undefined): void => {
    if (pattern === null || pattern === undefined) return
    if (pattern.type === 'Identifier' && pattern.name !== undefined) names.add(pattern.name)
    for (const { value, argument } of pattern.properties ?? []) add(value ?? argument)
    for (const element of pattern.elements ?? []) add(element)
    add(pattern.left)
    add(pattern.argument)
  }
  for (const { type, id, declarations = [] } of statements(parsed).map(inside)) {
    if ((type === 'FunctionDeclaration' || type === 'ClassDeclaration') && id?.name !== undefined)
      names.add(id.name)
    for (const one of declarations) add(one.id)
  }
  return names
}

/** Returns the names that a JavaScript module exports, except those of `export *`, which are unknown. */
function exportedNames(parsed: ParseResult): Set<string> {
  const names = new Set<string>()
  for (const { entries } of parsed.module.staticExports)
    for (const { exportName } of entries) {
      if (isKind(exportName.kind, 'Default')) names.add('default')
      if (exportName.name !== null) names.add(exportName.name)
    }
  return names
}

export interface Script {
  readonly path: string
  readonly source: string
  readonly parsed: ParseResult
}

/**
 * Returns the source of a module, edited so that it exports all of its declarations and neither imports nor exports
 * types.
 */
export function runnable(script: Script, all: ReadonlyMap<string, Script>): string {
  const { source, parsed, path } = script
  const declared = declaredValues(parsed)
  const edits: Edit[] = []
  const imported = new Set<string>()
  for (const { start, end, moduleRequest, entries } of parsed.module.staticImports) {
    const kept = entries.filter(({ importName, localName }) => {
      if (!isKind(importName.kind, 'Name') || importName.name === null) return true
      const known = valuesOf(moduleRequest.value, path, all)
      return known === null
        ? isUsed(localName.value, source, start, end)
        : known.has(importName.name)
    })
    for (const { localName } of kept) imported.add(localName.value)
    if (kept.length === entries.length) continue
    const named = kept.map(({ importName, localName }) => {
      const from = isKind(importName.kind, 'Default') ? 'default' : (importName.name ?? '')
      return from === localName.value ? from : `${from} as ${localName.value}`
    })
    const text =
      kept.length === 0
        ? ''
        : `import { ${named.join(', ')} } from ${JSON.stringify(moduleRequest.value)};`
    edits.push({ start, end, text })
  }
  const exported = exportedNames(parsed)
  for (const { start, end, entries } of parsed.module.staticExports) {
    if (statements(parsed).find((one) => one.start === start)?.declaration) continue
    const lost = entries.filter(({ localName, importName, moduleRequest }) => {
      if (moduleRequest !== null)
        return (
          importName.name !== null &&
          valuesOf(moduleRequest.value, path, all)?.has(importName.name) === false
        )
      return (
        isKind(localName.kind, 'Name') &&
        localName.name !== null &&
        !declared.has(localName.name) &&
        !imported.has(localName.name)
      )
    })
    if (lost.length === 0) continue
    const request = entries.find((one) => one.moduleRequest !== null)?.moduleRequest?.value
    const named = entries
      .filter((one) => !lost.includes(one))
      .map(
        ({ localName, importName, exportName }) =>
          `${localName.name ?? importName.name ?? ''} as ${exportName.name ?? 'default'}`,
      )
    const from = request === undefined ? '' : ` from ${JSON.stringify(request)}`
    edits.push({
      start,
      end,
      text: named.length === 0 ? '' : `export { ${named.join(', ')} }${from};`,
    })
  }
  const forgotten = [...declared].filter((name) => !exported.has(name))
  const more = forgotten.length === 0 ? '' : `\nexport { ${forgotten.join(', ')} };`
  return edited(source, edits) + more
}

/** Returns the names of the values that a module exports, or null if they are not known. */
function valuesOf(
  specifier: string,
  from: string,
  all: ReadonlyMap<string, Script>,
): Set<string> | null {
  if (specifier.startsWith('.')) {
    const base = new URL(specifier, new URL(from, 'file:///')).pathname.slice(1)
    for (const stem of [base, base.replace(/\.[cm]?js$/, '')])
      for (const ending of ['', '.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js']) {
        const target = all.get(stem + ending)
        if (target === undefined) continue
        if (
          target.parsed.module.staticExports.some(({ entries }) =>
            entries.some(({ importName }) => importName.kind.startsWith('All')),
          )
        )
          return null
        return new Set([...exportedNames(target.parsed), ...declaredValues(target.parsed)])
      }
    return null
  }
  const builtin: unknown = process.getBuiltinModule(specifier)
  return builtin === undefined ? null : new Set(Object.keys(builtin as object))
}

function isUsed(name: string, source: string, start: number, end: number): boolean {
  const rest = source.slice(0, start) + source.slice(end)
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(rest)
}

/** Returns the source of a CommonJS module, extended so that it exports all of its declarations. */
export function commonRunnable({ source, parsed }: Script): string {
  const more = [...declaredValues(parsed)].map(
    (name) => `if (!('${name}' in module.exports)) module.exports['${name}'] = ${name};`,
  )
  if (more.length === 0) return source
  return `${source}\n;if (typeof module.exports === 'object' && module.exports !== null) { ${more.join(' ')} }`
}

/** True if a statement at top level calls a function of this name. */
export const callsAtTop = (parsed: ParseResult, name: string): boolean =>
  statements(parsed).some(
    ({ expression }) => expression?.type === 'CallExpression' && expression.callee?.name === name,
  )
