/** Reads JavaScript and TypeScript source with regular expressions. */
import { isBuiltin } from 'node:module'
import { bareSource, type TextSyntax } from '../../../extract/bare-source.ts'
import type { Definition, ImportedModule, SourceReader } from '../../../language.ts'

const SYNTAX: TextSyntax = {
  lineComment: '//',
  blockComment: ['/*', '*/'],
  quotes: [
    { mark: '`', canSpanLines: true },
    { mark: '"', canSpanLines: false },
    { mark: "'", canSpanLines: false },
  ],
}

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`
const DEFINED = new RegExp(
  String.raw`^(?:export[ \t]+)?(default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(function\b[ \t]*\*?|class|const|let|var|interface|type|enum|namespace)[ \t]*(?<![\p{L}])(${NAME})?([ \t]*(?::[^=\n]*)?=[ \t]*(?:async\b|function\b|\(|${NAME}[ \t]*=>))?`,
  'gmu',
)
const COMMONJS = new RegExp(String.raw`^(?:module\.)?exports\.(${NAME})[ \t]*=`, 'gmu')
const LISTS = /^(?:module\.exports[ \t]*=|export)[ \t]*\{([^{}]{0,4000})\}/gmu
const DEFAULT = /^(?:module\.exports[ \t]*=|export[ \t]+default\b)/mu

function defined(source: string): Definition[] {
  const { text } = bareSource(source, SYNTAX)
  const found: Definition[] = []
  for (const [, , word = '', name, isFunction] of text.matchAll(DEFINED)) {
    if (name === undefined) continue
    if (word.startsWith('function')) found.push({ name, kind: 'function' })
    else if (['const', 'let', 'var'].includes(word))
      found.push({ name, kind: isFunction === undefined ? 'value' : 'function' })
    else found.push({ name, kind: 'type' })
  }
  for (const [, name = ''] of text.matchAll(COMMONJS)) found.push({ name, kind: 'function' })
  for (const [, list = ''] of text.matchAll(LISTS))
    for (const part of list.split(',')) {
      const [name = '', , alias] = part.trim().split(/\s+|\s*:\s*/)
      if (name !== '') found.push({ name: alias ?? name, kind: 'function' })
    }
  if (DEFAULT.test(text)) found.push({ name: 'default', kind: 'function' })
  const seen = new Set<string>()
  return found.filter(({ name }) => !seen.has(name) && seen.add(name))
}

const IMPORT = /\bimport\s+(?:type\s+)?([^'"`;()]{1,4000}?)\s*\bfrom\s*['"]([^'"\n]+)['"]/gu
const REQUIRE = new RegExp(
  String.raw`(?:\b(?:const|let|var|import)\s+)?(\{[^{}]{0,4000}\}|(?<![\p{L}\p{N}_$.])${NAME})\s*=\s*(?:await\s+import|require)\s*\(\s*['"]([^'"\n]+)['"]\s*\)(?:\.(${NAME}))?`,
  'gu',
)

/** An import whose names the pattern above does not find: `import('./a').then(…)`, `require('./a')(1)`. */
const LOADED = /\b(?:import|require)\s*\(\s*['"]([^'"\n]+)['"]\s*\)/gu

/**
 * Returns only the relative imports, because a solution is a file and not a package. A module of which only types are
 * imported is left out if there are others, because it does not exist when the tests run.
 */
function imports(tests: string): ImportedModule[] {
  const { text } = bareSource(tests, SYNTAX, true)
  const found: ImportedModule[] = []
  const types: ImportedModule[] = []
  const bare = bareSource(tests, SYNTAX).text
  for (const [whole, clause = '', path = ''] of text.matchAll(IMPORT))
    if (isRelative(path) && isCode(whole, bare))
      (isOfTypes(whole) ? types : found).push({
        name: moduleOf(path),
        names: importedBy(clause, bare),
      })
  for (const [whole, clause = '', path = '', property] of text.matchAll(REQUIRE))
    if (isRelative(path) && isCode(whole, bare))
      found.push({
        name: moduleOf(path),
        names: property === undefined ? requiredBy(clause, bare) : [[property]],
      })
  for (const [whole, path = ''] of text.matchAll(LOADED))
    if (isRelative(path) && isCode(whole, bare)) found.push({ name: moduleOf(path), names: [] })
  const others = new Set(found.map(({ name }) => name))
  return [...types.filter(({ name }) => others.size === 0 || others.has(name)), ...found]
}

const LIBRARY = /^(?:vitest|@jest\/globals|bun:test|mocha|chai(?:\/.*)?|solution)$/

/** Returns the packages that the tests import. Files, Node's modules and test libraries are left out. */
export function packagesIn(tests: string): string[] {
  const { text } = bareSource(tests, SYNTAX, true)
  // A string literal in the tests may look like an import. So check that the match is also in the source without
  // string literals.
  const bare = bareSource(tests, SYNTAX).text
  const found = [
    ...[...text.matchAll(IMPORT)].filter(([whole]) => isTop(whole, bare)).map(([, , path]) => path),
    ...[...text.matchAll(REQUIRE)]
      .filter(([whole]) => isTop(whole, bare))
      .map(([, , path]) => path),
  ]
  return [...new Set(found)].filter(
    (path): path is string =>
      path !== undefined && !/^[./]/.test(path) && !isBuiltin(path) && !LIBRARY.test(path),
  )
}

/** True if the statement, up to its module name, is real code: it also occurs in the source without string literals. */
const isCode = (statement: string, bare: string): boolean =>
  bare.includes(statement.split(/['"]/)[0] ?? statement)

const isOfTypes = (statement: string): boolean =>
  /^import\s+type\b(?!\s*(?:from|,)\b)/.test(statement) ||
  /^import\s*\{(?:\s*type\s+[^,{}]+,?)+\s*\}/.test(statement)

const isTop = (statement: string, bare: string): boolean =>
  !isOfTypes(statement) && isCode(statement, bare)

const isRelative = (path: string): boolean => /^\.{1,2}(?:\/|$)/.test(path)

const moduleOf = (path: string): string =>
  (path.split('/').at(-1) ?? path).replace(/\.(?:[cm]?[jt]sx?|json)$/, '')

function importedBy(clause: string, bare: string): string[][] {
  const names = listed(clause)
  const [, namespace] = new RegExp(String.raw`\*\s*as\s+(${NAME})`, 'u').exec(clause) ?? []
  if (namespace !== undefined) names.push(...propertiesOf(namespace, bare))
  const [, own] = new RegExp(`^\\s*(${NAME})`, 'u').exec(clause) ?? []
  if (own !== undefined) names.push(['default', own])
  return names
}

function requiredBy(clause: string, bare: string): string[][] {
  if (clause.startsWith('{')) return listed(clause)
  const properties = propertiesOf(clause, bare)
  return properties.length > 0 ? properties : [['default', clause]]
}

/** Returns the names in the braces of an import or a destructured `require`. For `a as b`, that is `a`. */
function listed(clause: string): string[][] {
  const [, list = ''] = /\{([^{}]*)\}/u.exec(clause) ?? []
  return list
    .split(',')
    .map((part) => part.replace(/^\s*type\s+/, '').trim())
    .map((part) => part.split(/\s+|\s*[:=]/u, 1)[0] ?? '')
    .filter((name) => name !== '')
    .map((name) => [name])
}

function propertiesOf(name: string, bare: string): string[][] {
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}_$.])${name.replaceAll('$', String.raw`\$`)}\.(${NAME})`,
    'gu',
  )
  return [...new Set([...bare.matchAll(pattern)].map(([, property = '']) => property))].map(
    (one) => [one],
  )
}

const WORD = new RegExp(String.raw`(?<![\p{L}\p{N}_$.])${NAME}`, 'gu')
const BOUND = new RegExp(String.raw`\b(?:function|class|const|let|var)\s+(${NAME})`, 'gu')

function mentioned(tests: string): ReadonlySet<string> {
  const { text } = bareSource(tests, SYNTAX)
  const names = new Set([...text.matchAll(WORD)].map(([name]) => name))
  for (const [, name = ''] of text.matchAll(BOUND)) names.delete(name)
  return names
}

const INSIDE = new RegExp(
  String.raw`^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\*?|class|const|let|var|interface|type|enum)[ \t]+(${NAME})`,
  'gmu',
)

export const scriptSource: SourceReader = {
  bare: (source) => bareSource(source, SYNTAX),
  defined,
  definedInside: (source) =>
    [...bareSource(source, SYNTAX).text.matchAll(INSIDE)].map(([, name = '']) => name),
  afterPrompt: (_, answer) => answer,
  extended: () => [],
  imports,
  mentioned,
  isImport: (line) => /^import\b.*['"]|^(?:const|let|var)\b.*\brequire\s*\(/.test(line),
  moduleOf,
}
