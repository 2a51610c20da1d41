/**
 * Finds in the syntax tree of a test file which features of test libraries it uses. If Assay does not have a feature,
 * the file is refused before any solution runs, with an error that names the feature. This file also finds the
 * statements that must run before the imports, and the imported packages.
 */
import { isBuiltin } from 'node:module'
import type { ParseResult } from 'oxc-parser'
import { CHAI_WORDS } from '../framework/chai.ts'
import { LIBRARIES, makeLibrary, type Library } from '../framework/library.ts'
import { matchers } from '../framework/matchers.ts'
import { mockFunction } from '../framework/mock.ts'
import { refusal } from '../framework/refused.ts'
import { Registry } from '../framework/suite.ts'
import { pretended } from '../framework/vi.ts'
import { placeIn } from './source.ts'
import { CannotStrip } from './strip.ts'
import type { Edit } from './syntax.ts'
import { bindingsOf, CALL, chainOf, nodesOf, stringIn, type TreeNode } from './tree.ts'

export interface Features {
  /** The specifiers of all modules that the file imports or requires. */
  readonly modules: readonly string[]
  /** Statements that must run before the imports: `vi.mock`, `vi.unmock` and `vi.hoisted`. */
  readonly first: readonly TreeNode[]
  readonly mocksModules: boolean
  readonly usesChai: boolean
  readonly edits: readonly Edit[]
}

/** What a local name in the test file means: an export of a test library, or the whole library (`*`). */
interface Role {
  readonly module: string
  readonly name: string
}

const CHAI_EXPORTS = new Set(
  'Assertion AssertionError Should assert config expect should use util default'.split(' '),
)
const NOT_MATCHERS = new Set(['not', 'resolves', 'rejects'])

let kept: Library | null = null

/** Returns a test library with which no tests are registered. It only shows which names and properties exist. */
const known = (): Library =>
  (kept ??= makeLibrary({
    registry: new Registry(),
    beside: pretended,
    asserted() {},
    assert: () => process.getBuiltinModule('node:assert'),
    chai: null,
  }))

export function featuresOf(code: string, parsed: ParseResult): Features {
  const nodes = [...nodesOf(parsed.program)]
  const modules = modulesIn(nodes, parsed)
  const roles = rolesIn(nodes, parsed)
  const body = parsed.program.body as unknown as readonly TreeNode[]
  const isMocking = (node: TreeNode, names: readonly string[]): boolean => {
    const chain = chainOf(node)
    const role = chain === null ? undefined : roles.get(chain[0] ?? '')
    return role !== undefined && isVi(role) && names.includes(chain?.[1] ?? '')
  }
  const first = body.filter((statement) => {
    const made = expressionOf(statement)
    return made !== null && isMocking(made, ['mock', 'unmock', 'hoisted'])
  })
  const mocksModules = nodes.some(
    (node) => node.type === 'CallExpression' && isMocking(node, ['mock']),
  )
  const usesChai = modules.some((one) => one.startsWith('chai')) || /\.(?:to|be|have)\b/.test(code)
  refuse(code, nodes, parsed, roles)
  const edits = [...importsInMocks(nodes)]
  if (modules.some((one) => one.startsWith('chai'))) edits.push(...shoulds(nodes, roles))
  return { modules, first, mocksModules, usesChai, edits }
}

const isVi = ({ name }: Role): boolean => name === 'vi' || name === 'vitest' || name === 'jest'

/**
 * Returns the expression of a statement, or the initial value of the first variable that it declares. `await` is
 * removed.
 */
function expressionOf(statement: TreeNode): TreeNode | null {
  const found =
    statement.type === 'ExpressionStatement'
      ? statement['expression']
      : statement.type === 'VariableDeclaration'
        ? (statement['declarations'] as readonly TreeNode[])[0]?.['init']
        : null
  const node = found as TreeNode | null | undefined
  if (node === null || node === undefined) return null
  return node.type === 'AwaitExpression' ? (node['argument'] as TreeNode) : node
}

// ── Modules and names ────────────────────────────────────────────────────────────────────────────────

/** Returns the specifier of a `require` or `import()` with a constant argument; null for other nodes. */
export function requiredBy(node: TreeNode): string | null {
  if (node.type === 'ImportExpression') return stringIn(node['source'])
  if (node.type !== 'CallExpression') return null
  const callee = node['callee'] as TreeNode
  const isRequire = callee.type === 'Identifier' && callee['name'] === 'require'
  return isRequire ? stringIn((node['arguments'] as unknown[])[0]) : null
}

function modulesIn(nodes: readonly TreeNode[], parsed: ParseResult): string[] {
  const found = new Set(parsed.module.staticImports.map((one) => one.moduleRequest.value))
  for (const node of nodes) {
    const one = requiredBy(node)
    if (one !== null) found.add(one)
  }
  return [...found]
}

/** Returns the modules that belong to declared packages. Files, Node's modules and test libraries are left out. */
export const packagesOf = (modules: readonly string[], declared: readonly string[]): string[] =>
  modules.filter((one) => {
    if (/^[./]/.test(one) || isBuiltin(one) || LIBRARIES.has(one)) return false
    return declared.includes(packageName(one))
  })

/** Returns the package name in a specifier: `@scope/name` for `@scope/name/part`. */
export const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/**
 * Returns, for each local name that comes from a test library, what it means. Names that the file declares again are
 * left out, because they then mean something else.
 */
function rolesIn(nodes: readonly TreeNode[], parsed: ParseResult): Map<string, Role> {
  const roles = new Map<string, Role>()
  const globals = { ...known().globals, ...known().commonWords }
  for (const name of Object.keys(globals)) roles.set(name, { module: 'global', name })
  const declared = new Map<string, Role | null>()
  for (const { moduleRequest, entries } of parsed.module.staticImports)
    for (const { importName, localName } of entries) {
      const name = importName.name ?? (importName.kind.startsWith('Namespace') ? '*' : 'default')
      const module = moduleRequest.value
      declared.set(localName.value, LIBRARIES.has(module) ? { module, name } : null)
    }
  for (const node of nodes)
    for (const [local, role] of declaredBy(node))
      declared.set(local, declared.has(local) ? null : role)
  for (const [local, role] of declared)
    if (role === null) roles.delete(local)
    else roles.set(local, role)
  return roles
}

function* declaredBy(node: TreeNode): Generator<readonly [string, Role | null]> {
  if (node.type === 'VariableDeclarator') {
    const init = node['init'] as TreeNode | null
    const member = init?.type === 'MemberExpression' ? chainOf(init)?.at(-1) : undefined
    const call = (member === undefined ? init : init?.['object']) as TreeNode | null
    const module = call === null ? null : requiredBy(call)
    const isOurs = module !== null && LIBRARIES.has(module)
    for (const [local, property] of bindingsOf(node['id']))
      yield [local, isOurs ? { module, name: member ?? property ?? '*' } : null]
  }
  for (const parameter of (node['params'] as unknown[] | undefined) ?? [])
    for (const [local] of bindingsOf(parameter)) yield [local, null]
  if (node.type === 'CatchClause')
    for (const [local] of bindingsOf(node['param'])) yield [local, null]
  if (/^(?:Function|Class)/.test(node.type))
    for (const [local] of bindingsOf(node['id'])) yield [local, null]
}

// ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────

function refuse(
  code: string,
  nodes: readonly TreeNode[],
  parsed: ParseResult,
  roles: ReadonlyMap<string, Role>,
): void {
  const fail = (at: number, what: string): never => {
    throw new CannotStrip(`line ${placeIn(code, at).line}: ${refusal(what)}`)
  }
  for (const { value, start } of parsed.comments) {
    const [, environment] = /@(?:jest|vitest)-environment\s+(\S+)/.exec(value) ?? []
    if (environment !== undefined && environment !== 'node')
      fail(start, `the environment ${environment}`)
  }
  for (const { moduleRequest, entries } of parsed.module.staticImports)
    for (const { importName, localName } of entries) {
      const { value: module } = moduleRequest
      const name = importName.name
      if (!LIBRARIES.has(module) || name === null || isExported(module, name)) continue
      // The imported name may be only a type, which has no value. So it is refused only if other code uses it as a
      // value.
      const isUsed = nodes.some(
        (node) =>
          node.type === 'Identifier' &&
          node['name'] === localName.value &&
          (node.start < localName.start || node.start > localName.end) &&
          node.start !== importName.start,
      )
      if (isUsed) fail(localName.start, `${name} of ${module}`)
    }
  const own = ownMatchers(nodes)
  for (const node of nodes) {
    if (node.type !== 'MemberExpression') continue
    const chain = chainOf(node)
    const role = chain === null ? undefined : roles.get(chain[0] ?? '')
    if (chain === null || role === undefined) continue
    const what = missing(chain, role, own)
    if (what !== null) fail(node.start, what)
  }
}

const isExported = (module: string, name: string): boolean =>
  module.startsWith('chai')
    ? CHAI_EXPORTS.has(name)
    : name in (known().module(module) ?? { [name]: 0 })

interface OwnMatchers {
  readonly names: ReadonlySet<string>
  /** Whether `expect.extend` may add matchers whose names the syntax tree does not show. */
  readonly isOpen: boolean
  /** Whether a chai plugin may have added words. */
  readonly hasPlugins: boolean
}

function ownMatchers(nodes: readonly TreeNode[]): OwnMatchers {
  const names = new Set<string>()
  let isOpen = false
  let hasPlugins = false
  for (const node of nodes) {
    if (node.type !== 'CallExpression') continue
    const chain = chainOf(node['callee'])
    if (chain?.at(-1) === 'use') hasPlugins = true
    if (chain?.at(-1) !== 'extend' || chain.at(-2) !== 'expect') continue
    const [given] = node['arguments'] as readonly TreeNode[]
    if (given?.type !== 'ObjectExpression') {
      isOpen = true
      continue
    }
    for (const one of given['properties'] as readonly TreeNode[]) {
      const key = one['key'] as TreeNode | undefined
      if (one.type !== 'Property' || key === undefined) isOpen = true
      else names.add(String(key['name'] ?? key['value']))
    }
  }
  return { names, isOpen, hasPlugins }
}

/** Returns the feature that the last name of a chain refers to, if Assay does not have it. Otherwise returns null. */
function missing(chain: readonly string[], role: Role, own: OwnMatchers): string | null {
  const last = chain.at(-1) ?? ''
  const inner = role.name === '*' || role.name === 'default' ? chain[1] : undefined
  // A name that follows the whole library is one of its exports, as in `chai.expect`. A name that follows a default
  // import may instead be a variant of `test`, as in `test.only`.
  const isWhole = role.name === '*' || (inner !== undefined && inner in wholeOf(role.module))
  const name = isWhole ? inner : role.name === 'default' ? 'test' : role.name
  const rest = chain.slice(isWhole ? 2 : 1)
  if (name === undefined || name === CALL || rest.length === 0) return null
  if (role.module.startsWith('chai'))
    return name === 'expect' && rest[0] === CALL && rest.length === 2
      ? own.hasPlugins || CHAI_WORDS.has(last)
        ? null
        : `chai's ${last}`
      : null
  if (name === 'expect') return missingMatcher(rest, own)
  if (isVi({ ...role, name })) {
    if (rest.length === 1) return last in objectOf('vi') ? null : `${name}.${last}`
    const isMock = rest[0] === 'fn' && rest[1] === CALL && rest.length === 3
    return isMock && !(last in mockFunction()) ? `${name}.fn().${last}` : null
  }
  if (rest.length > 1 || rest.includes(CALL)) return null
  if (name === 'test' || name === 'it') return last in objectOf('test') ? null : `${name}.${last}`
  if (name === 'describe' || name === 'suite')
    return last in objectOf('describe') ? null : `${name}.${last}`
  return null
}

const wholeOf = (module: string): object =>
  module.startsWith('chai') ? { expect: 0, should: 0, assert: 0 } : (known().module(module) ?? {})

const objectOf = (name: string): object => known().globals[name] as object

function missingMatcher(rest: readonly string[], own: OwnMatchers): string | null {
  const [first = '', ...more] = rest
  if (first !== CALL) {
    const isCalled = (first === 'soft' || first === 'poll') && more[0] === CALL
    if (isCalled) return missingMatcher(more, own)
    if (more.length > 0 || own.isOpen || own.names.has(first)) return null
    return first in objectOf('expect') ? null : `expect.${first}`
  }
  const words = more.filter((word) => !NOT_MATCHERS.has(word))
  const [last = ''] = words
  // Check only the first word after `not`, `resolves` and `rejects`. Later words belong to chai or to a promise.
  if (words.length !== 1 || own.isOpen || own.names.has(last) || own.hasPlugins) return null
  if (SNAPSHOTS_IN_FILES.has(last)) return `${last}: a snapshot in a file`
  return last in matchers || CHAI_WORDS.has(last) ? null : `expect().${last}`
}

const SNAPSHOTS_IN_FILES = new Set([
  'toMatchSnapshot',
  'toMatchFileSnapshot',
  'toThrowErrorMatchingSnapshot',
])

// ── Edits ────────────────────────────────────────────────────────────────────────────────────────────

/** Rewrites `vi.mock(import('./x'))` to `vi.mock('./x')`, because the import only names the module and must not run. */
function* importsInMocks(nodes: readonly TreeNode[]): Generator<Edit> {
  for (const node of nodes) {
    if (node.type !== 'CallExpression' || chainOf(node)?.[1] !== 'mock') continue
    const [given] = node['arguments'] as readonly TreeNode[]
    const name = given?.type === 'ImportExpression' ? stringIn(given['source']) : null
    if (given !== undefined && name !== null)
      yield { start: given.start, end: given.end, text: JSON.stringify(name) }
  }
}

/** Rewrites `x.should` to a call, because the solution could define the property `should` on a value. */
function* shoulds(nodes: readonly TreeNode[], roles: ReadonlyMap<string, Role>): Generator<Edit> {
  const calls = new Set(
    nodes.filter((one) => one.type === 'CallExpression').map((one) => one['callee']),
  )
  for (const node of nodes) {
    if (node.type !== 'MemberExpression' || node['computed'] === true || calls.has(node)) continue
    const property = node['property'] as TreeNode
    const object = node['object'] as TreeNode
    if (property['name'] !== 'should') continue
    if (object.type === 'Identifier' && roles.get(String(object['name']))?.module === 'chai')
      continue
    yield { start: object.start, end: object.start, text: '__should(' }
    yield { start: object.end, end: property.end, text: ')' }
  }
}
