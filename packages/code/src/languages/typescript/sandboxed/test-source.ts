/**
 * Turns a test file into the body of a function: types are stripped, imports become lookups, and exports are dropped.
 * This is done once per case. Each run for a solution is then one call, which leaves nothing behind.
 */
import type { ParseResult } from 'oxc-parser'
import type { PreparedTests } from './analyze/prepared.ts'
import { CannotStrip, stripped } from './analyze/strip.ts'
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
): PreparedTests {
  const tests = bodyOf(source, script)
  const helpers = prelude === null ? null : completePart(prelude)
  // HumanEval's format: a function `check` that must be called.
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
    imports: tests.imports,
  }
}

const TEXTS = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/g
const REGISTERS = /(?<![\w$.])(?:describe|it|suite|test)(?=(?:\.\w+)*\s*\()/g

/**
 * True if the file registers tests anywhere. Such a file is not a test by itself: if it registered none, perhaps
 * because the solution lacks what it loops over, nothing was tested.
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

/** True for a statement that does something when the file is run. */
const isDeed = (node: { readonly type: string; readonly directive?: string | null }): boolean =>
  !DECLARATIONS.test(node.type) && typeof node.directive !== 'string'

const BEGINS =
  /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:abstract\s+)?(?:function|class|const|let|var)\b/

/**
 * Returns the part of a continuation's prompt before its last definition. The answer completes that definition; the
 * code before it is the author's and may be called by tests. Returns null if there is none, or if it contains a
 * class: the answer has that class too, and objects of the two classes would be mixed up.
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
      // A line in a comment or string may look like a definition.
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
  readonly imports: readonly string[]
  readonly isSloppy: boolean
}

function bodyOf(source: string, script = false): Body {
  const { code, parsed, isSloppy } = javascriptOf(source, script)
  const { staticImports, staticExports, dynamicImports, importMetas } = parsed.module
  const head: string[] = []
  const edits: Edit[] = []
  const imports: string[] = []
  for (const { start, end, moduleRequest, entries } of staticImports) {
    const from = `__import(${JSON.stringify(moduleRequest.value)})`
    imports.push(moduleRequest.value)
    const named: string[] = []
    for (const { importName, localName } of entries)
      if (isKind(importName.kind, 'NamespaceObject'))
        head.push(`const ${localName.value} = ${from};`)
      else named.push(`${JSON.stringify(importName.name ?? 'default')}: ${localName.value}`)
    if (named.length > 0) head.push(`const { ${named.join(', ')} } = ${from};`)
    else if (entries.length === 0) head.push(`${from};`)
    edits.push({ start, end, text: '' })
  }
  for (const { start, end } of staticExports) {
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
  return { body: `${head.join(' ')}${edited(code, edits)}`, code, parsed, imports, isSloppy }
}
