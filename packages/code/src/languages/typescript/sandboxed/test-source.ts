/**
 * Turns a test file into the body of a function: types are stripped, imports become lookups, and exports are removed.
 * This is done once per case. The function is then called once for each solution. Unlike an imported module, it
 * leaves nothing in Node's cache of modules.
 */
import type { ParseResult } from 'oxc-parser'
import type { PreparedTests } from './analyze/prepared.ts'
import { CannotStrip, stripped } from './analyze/strip.ts'
import { LIBRARIES } from './framework/library.ts'
import { featuresOf, packagesOf, requiredBy, type Features } from './analyze/test-features.ts'
import { chainOf, nodesOf, stringIn, type TreeNode } from './analyze/tree.ts'
import {
  callsAtTop,
  declaredValues,
  edited,
  isKind,
  parse,
  syntaxErrors,
  type Edit,
} from './analyze/syntax.ts'

/** Prepares a test source. Throws `CannotStrip` if it does not parse. */
export function prepareTests(
  source: string,
  prelude: string | null,
  entryPoint: string | null,
  script: boolean,
  declared: readonly string[],
): PreparedTests {
  const tests = bodyOf(source, script)
  const helpers = prelude === null ? null : completePart(prelude)
  // In the format of the benchmark HumanEval, the tests define a function `check`. It must be called with the entry
  // point.
  const checks =
    entryPoint !== null &&
    declaredValues(tests.parsed).has('check') &&
    !callsAtTop(tests.parsed, 'check')
  return {
    body: checks ? `${tests.body}\n;await check(__entry)` : tests.body,
    prelude: helpers?.body ?? '',
    helpers: helpers === null ? [] : [...declaredValues(helpers.parsed)],
    isSloppy: tests.isSloppy,
    isScript: checks || (tests.parsed.program.body.some(isDeed) && !registers(tests)),
    entryPoint,
    imports: [...new Set([...tests.features.modules, ...tests.needed])],
    needed: tests.needed,
    packages: packagesOf(tests.features.modules, declared),
    mocksModules: tests.features.mocksModules,
    usesChai: tests.features.usesChai,
  }
}

const TEXTS = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/g
const REGISTERS = /(?<![\w$.])(?:describe|it|suite|test)(?=(?:\.\w+)*\s*\()/g

/**
 * True if the file contains calls that register tests. Such a file never counts as a plain script, which would be one
 * test. If it registers no test when it runs, nothing was tested. That happens, for example, if it loops over an
 * export that the solution lacks.
 */
function registers({ code, parsed }: Body): boolean {
  const own = declaredValues(parsed)
  const calls = edited(
    code,
    parsed.comments.map(({ start, end }) => ({ start, end, text: '' })),
  )
    .replaceAll(TEXTS, "''")
    .matchAll(REGISTERS)
  return [...calls].some(([name]) => !own.has(name))
}

const DECLARATIONS =
  /^(?:Import|Export|TSImport|TSExport).*|^(?:Function|Class|Variable)Declaration$|^EmptyStatement$/

/** True for a statement that has an effect when the file runs. Declarations and directives have none. */
const isDeed = (node: { readonly type: string; readonly directive?: string | null }): boolean =>
  !DECLARATIONS.test(node.type) && typeof node.directive !== 'string'

const BEGINS =
  /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:abstract\s+)?(?:function|class|const|let|var)\b/

/**
 * Returns the part of a prompt before its last definition, which the answer completes. Tests may call the functions
 * in that part. Returns null if there is no such part, or if it contains a class. The answer contains the same class,
 * and `instanceof` would be false between objects of the two copies.
 */
function completePart(prompt: string): Body | null {
  const lines = prompt.split('\n')
  for (let at = lines.length - 1; at > 0; at--) {
    if (!BEGINS.test(lines[at] ?? '')) continue
    try {
      const before = bodyOf(lines.slice(0, at).join('\n'))
      const hasClass = before.parsed.program.body.some((node) =>
        /\bclass\b/.test(before.code.slice(node.start, node.end)),
      )
      return hasClass ? null : before
    } catch (error) {
      // The line that looked like a definition was inside a comment or string. Try an earlier line.
      if (!(error instanceof CannotStrip)) throw error
    }
  }
  return null
}

interface Code {
  readonly code: string
  readonly parsed: ParseResult
  readonly isSloppy: boolean
}

function javascriptOf(source: string, script: boolean): Code {
  try {
    const code = stripped(source)
    const parsed = parse('test.js', code, 'module')
    const isModule = parsed.module.hasModuleSyntax || !script
    if (parsed.errors.length === 0 && isModule) return { code, parsed, isSloppy: false }
    const loose = parse('test.js', code, 'commonjs')
    if (loose.errors.length === 0) return { code, parsed: loose, isSloppy: true }
    throw new CannotStrip(parsed.errors[0]?.message ?? 'no program')
  } catch (error) {
    if (!(error instanceof CannotStrip)) throw error
    const [first] = syntaxErrors('test.ts', source, parse('test.ts', source))
    const what = first === undefined ? error.message : `line ${first.line}: ${first.message}`
    throw new CannotStrip(what, { cause: error })
  }
}

interface Body {
  readonly body: string
  readonly code: string
  readonly parsed: ParseResult
  /** The specifiers of the modules that are loaded at top level. */
  readonly needed: readonly string[]
  readonly isSloppy: boolean
  readonly features: Features
}

function bodyOf(source: string, script = false): Body {
  const { code, parsed, isSloppy } = javascriptOf(source, script)
  const { staticImports, staticExports, dynamicImports, importMetas } = parsed.module
  const features = featuresOf(code, parsed)
  const head: string[] = []
  const ahead: string[] = []
  const edits: Edit[] = [...features.edits]
  const needed = requiredAtTop(parsed)
  const used = code === source ? null : usedNames(parsed)
  for (const { start, end, moduleRequest, entries } of staticImports) {
    edits.push({ start, end, text: '' })
    // TypeScript leaves out an import of which only types are used, so its file need not exist.
    const isOfTypes = entries.length === 0 && code.slice(start, end).includes('{')
    if (used !== null && moduleRequest.value.startsWith('.'))
      if (
        isOfTypes ||
        (entries.length > 0 && !entries.some((one) => used.has(one.localName.value)))
      )
        continue
    const from = `__import(${JSON.stringify(moduleRequest.value)})`
    needed.push(moduleRequest.value)
    const named: string[] = []
    const into = LIBRARIES.has(moduleRequest.value) ? ahead : head
    for (const { importName, localName } of entries)
      if (isKind(importName.kind, 'NamespaceObject'))
        into.push(`const ${localName.value} = ${from};`)
      else named.push(`${JSON.stringify(importName.name ?? 'default')}: ${localName.value}`)
    if (named.length > 0) into.push(`const { ${named.join(', ')} } = ${from};`)
    else if (entries.length === 0) into.push(`${from};`)
  }
  for (const { start, end, entries } of staticExports) {
    const from = entries[0]?.moduleRequest?.value
    if (from !== undefined) {
      needed.push(from)
      head.push(`__import(${JSON.stringify(from)});`)
    }
    const text = code.slice(start, end)
    const declaration =
      /^export\s+(?:default\s+)?(?=(?:async\s+)?function\s*\*?\s*[\w$]|class\s+(?!extends\b)[\w$]|const\b|let\b|var\b)/.exec(
        text,
      )
    if (declaration !== null) edits.push({ start, end: start + declaration[0].length, text: '' })
    else if (/^export\s+default\b/.test(text))
      edits.push({
        start,
        end: start + (/^export\s+default\b/.exec(text)?.[0].length ?? 0),
        text: 'void',
      })
    else edits.push({ start, end, text: '' })
  }
  for (const { start } of dynamicImports)
    edits.push({ start, end: start + 'import'.length, text: '__dynamic' })
  for (const { start, end } of importMetas) edits.push({ start, end, text: '__meta' })
  const hoisted = hoistedFrom(code, features, edits)
  if (features.mocksModules) edits.push(readyAt(parsed))
  const body = `${[...ahead, ...hoisted].join(' ')}${head.length > 0 && features.mocksModules ? ' await __ready(); ' : ' '}${head.join(' ')}${edited(code, edits)}`
  return { body, code, parsed, needed: [...new Set(needed)], isSloppy, features }
}

/** Returns the specifiers of the modules that statements at top level load with `require` or `await import`. */
function requiredAtTop(parsed: ParseResult): string[] {
  const body = parsed.program.body as unknown as readonly TreeNode[]
  return body.flatMap((statement) => {
    const declared = statement['declarations'] as readonly TreeNode[] | undefined
    const values =
      statement.type === 'ExpressionStatement'
        ? [statement['expression']]
        : (declared ?? []).map((one) => one['init'])
    return values.flatMap((value) => loadedBy(value as TreeNode | null) ?? [])
  })
}

/** Returns the specifier in `require('x')`, `require('x').y` or `await import('x')`; null for other expressions. */
function loadedBy(value: TreeNode | null): string | null {
  if (value?.type === 'MemberExpression') return loadedBy(value['object'] as TreeNode)
  if (value?.type !== 'AwaitExpression') return value === null ? null : requiredBy(value)
  const awaited = value['argument'] as TreeNode
  return awaited.type === 'ImportExpression' ? requiredBy(awaited) : null
}

/** Returns the names that the file uses as values, apart from those that only its imports mention. */
function usedNames(parsed: ParseResult): ReadonlySet<string> {
  const body = parsed.program.body as unknown as readonly TreeNode[]
  const used = new Set<string>()
  for (const statement of body)
    if (statement.type !== 'ImportDeclaration')
      for (const node of nodesOf(statement))
        if (node.type === 'Identifier') used.add(String(node['name']))
  return used
}

/**
 * Removes the statements in `first` from the code and returns them, because they must run before the imports. Edits
 * inside such a statement are applied to the returned text.
 */
function hoistedFrom(code: string, { first }: Features, edits: Edit[]): string[] {
  return first.map(({ start, end }) => {
    const inside = edits.filter((one) => one.start >= start && one.end <= end)
    for (const one of inside) edits.splice(edits.indexOf(one), 1)
    edits.push({ start, end, text: '' })
    const moved = inside.map((one) => ({ ...one, start: one.start - start, end: one.end - start }))
    return `${edited(code.slice(start, end), moved)};`
  })
}

/**
 * Returns an edit that loads the solution before the first statement that requires a relative file. Statements before
 * it may mock the solution's modules, and the mocks must be registered when the solution is loaded.
 */
function readyAt(parsed: ParseResult): Edit {
  const body = parsed.program.body as unknown as readonly TreeNode[]
  const requires = (node: TreeNode): boolean =>
    node.type === 'CallExpression' &&
    chainOf(node)?.[0] === 'require' &&
    (stringIn((node['arguments'] as unknown[])[0])?.startsWith('.') ?? false)
  const found = body.find((one) => [...nodesOf(one)].some(requires))
  const at = found?.start ?? body.at(-1)?.end ?? 0
  return { start: at, end: at, text: ';await __ready();' }
}
