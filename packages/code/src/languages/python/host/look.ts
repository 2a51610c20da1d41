/**
 * Checks the source of Python tests quickly. Does it contain assertions that certainly run, and calls that may reach
 * the solution? Only code that every run executes is considered: the top level, test functions, and functions called
 * from there. If the source does not show both, the tests must be run.
 */
import type { Look } from '../../../language.ts'

interface Line {
  readonly indent: number
  readonly text: string
}

interface Function {
  readonly name: string
  readonly isDecorated: boolean
  readonly body: readonly Line[]
}

export function look(tests: string, entryPoint: string | null): Look {
  const lines = linesOf(tests)
  if (skipsAll(lines)) return 'skipped'
  const functions = new Map(functionsAt(lines).map((one) => [one.name, one]))
  const seen = new Set<string>()
  const doesAssert = (body: readonly Line[]): boolean => {
    for (const text of direct(body)) {
      if (/^(?:return|raise|pass$)/.test(text)) return false
      if (ASSERTION.test(text)) return true
      const [, called = ''] = /^([\p{L}_]\w*)\(/u.exec(text) ?? []
      const found = functions.get(called)
      if (found === undefined || found.isDecorated || seen.has(called)) continue
      seen.add(called)
      if (doesAssert(found.body)) return true
    }
    return false
  }
  const asserts = ({ isDecorated, body }: Function): boolean => !isDecorated && doesAssert(body)
  const isRun = ({ name }: Function): boolean =>
    name.startsWith('test') || (name === 'check' && entryPoint !== null)
  const isAsserting =
    doesAssert(lines) ||
    [...functions.values()].some((one) => isRun(one) && asserts(one)) ||
    classesAt(lines).some((body) =>
      functionsAt(body).some((one) => one.name.startsWith('test') && asserts(one)),
    )
  return isAsserting && callsSolution(lines, functions) ? 'active' : 'unclear'
}

const TEST = /^(?:async\s+)?def\s+test/
const SKIP = /^@(?:unittest\.|pytest\.mark\.)?skip(?:\(|$)/

/** True if there are tests and all of them are marked to be skipped. */
function skipsAll(lines: readonly Line[]): boolean {
  const tests = [...lines.entries()].filter(([, { text }]) => TEST.test(text))
  return tests.length > 0 && tests.every(([index]) => isSkipped(lines, index))
}

/** True if the test or the class around it has a skip mark. */
function isSkipped(lines: readonly Line[], index: number): boolean {
  const indent = lines[index]?.indent ?? 0
  for (let at = index - 1; lines[at]?.text.startsWith('@') === true; at--)
    if (SKIP.test(lines[at]?.text ?? '')) return true
  const outer = lines.findLastIndex((line, at) => at < index && line.indent < indent)
  return outer !== -1 && /^class\b/.test(lines[outer]?.text ?? '') && isSkipped(lines, outer)
}

const ASSERTION =
  /^(?:assert\b|[\w.]*\.assert\w*\(|assert\w*\(|with\s+[\w.]*(?:raises|assertRaises\w*)\()/

// ── Lines ────────────────────────────────────────────────────────────────────────────────────────────

const TEXTS =
  /#[^\n]*|\b[rbfu]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/gi

/**
 * Returns the logical lines, without string literals and comments. An expression in brackets that goes over several
 * lines becomes one line.
 */
function linesOf(source: string): Line[] {
  const bare = source
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(TEXTS, (text) => (text.startsWith('#') ? '' : "''"))
  let depth = 0
  let joined = ''
  for (const char of bare.replaceAll('\\\n', ' ')) {
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
    joined += char === '\n' && depth > 0 ? ' ' : char
  }
  return joined.split('\n').flatMap((line) => {
    const text = line.trim()
    const indent = line.replaceAll('\t', '        ').search(/\S/)
    return text === '' ? [] : [{ indent, text }]
  })
}

/** Returns the statements directly in this body, without those in nested blocks. */
function direct(body: readonly Line[]): string[] {
  const indent = body[0]?.indent
  return body.filter((line) => line.indent === indent).map(({ text }) => text)
}

/** Returns the lines of the block that the line at this index begins, by indentation. */
function below(lines: readonly Line[], index: number): Line[] {
  const { indent = 0 } = lines[index] ?? {}
  const end = lines.findIndex((line, at) => at > index && line.indent <= indent)
  return lines.slice(index + 1, end === -1 ? lines.length : end)
}

function functionsAt(lines: readonly Line[]): Function[] {
  const indent = lines[0]?.indent ?? 0
  return lines.flatMap((line, index) => {
    const [, name, rest = ''] =
      /^(?:async\s+)?def\s+([\p{L}_]\w*).*?:\s*([^:]*)$/u.exec(line.text) ?? []
    if (name === undefined || line.indent !== indent) return []
    const body = below(lines, index)
    const isDecorated = lines[index - 1]?.text.startsWith('@') ?? false
    return [{ name, isDecorated, body: body.length > 0 ? body : [{ indent: 1, text: rest }] }]
  })
}

/** Returns the bodies of classes that contain tests. */
function classesAt(lines: readonly Line[]): Line[][] {
  return lines.flatMap((line, index) => {
    const isTests = /^class\s+(?:Test\w*|\w+\s*\([^)]*TestCase\s*[,)])/.test(line.text)
    const isDecorated = lines[index - 1]?.text.startsWith('@') ?? false
    return isTests && line.indent === 0 && !isDecorated ? [below(lines, index)] : []
  })
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────

const OWN = new Set(
  (
    'abs aiter all any anext ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex ' +
    'delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help ' +
    'hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord ' +
    'pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type ' +
    'vars zip and as assert async await class def del elif else except for from global if import in is lambda not ' +
    'or raise return while with yield Exception'
  ).split(' '),
)

/** True if the tests call a function that neither they nor Python define, so that it may be the solution's. */
function callsSolution(lines: readonly Line[], functions: ReadonlyMap<string, Function>): boolean {
  const own = new Set<string>()
  for (const { text } of lines) {
    const [, name] = /^class\s+(\w+)/.exec(text) ?? []
    if (name !== undefined) own.add(name)
    const [, from = '', imported = ''] = /^(?:from\s+([\w.]+)\s+)?import\s+(.*)$/.exec(text) ?? []
    if (from === 'solution') continue
    for (const one of imported.replaceAll(/[()]/g, '').split(','))
      own.add(
        one
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? '',
      )
  }
  return lines.some(({ text }) =>
    [...text.matchAll(/(def\s+|\.)?\b([\p{L}_]\w*)\s*\(/gu)].some(([whole, before, name = '']) =>
      before === '.'
        ? new RegExp(`\\bsolution\\.${name}\\b`).test(text)
        : before === undefined &&
          !OWN.has(name) &&
          !own.has(name) &&
          !functions.has(name) &&
          whole !== '',
    ),
  )
}
