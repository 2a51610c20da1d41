/**
 * Inspects the source of JavaScript tests without running them. It looks for assertions that certainly run, and for
 * calls that may reach the solution. It splits the source into tokens, roughly, and follows only code that every run
 * executes: the top level, the bodies of registered tests, and functions called from there. If the source does not
 * show both, the tests must be run.
 */
import type { Look } from '../../../language.ts'

interface Token {
  readonly text: string
  readonly isName: boolean
  /** True if this is the first token of its line. */
  readonly isFirst: boolean
}

interface Source {
  readonly tokens: readonly Token[]
  /** For each bracket token, the index of the matching bracket; -1 if there is none. */
  readonly partner: readonly number[]
  /** The functions of the file: for each name, the index of the opening brace of the body. */
  readonly functions: ReadonlyMap<string, number>
}

export function look(tests: string, entryPoint: string | null): Look {
  const source = read(tests)
  if (skipsAll(source)) return 'skipped'
  const from = { source, seen: new Set<string>() }
  const isAsserting =
    asserts(0, source.tokens.length, from) ||
    (entryPoint !== null && source.functions.has('check') && assertsIn('check', from))
  return isAsserting && callsSolution(source) ? 'active' : 'unclear'
}

const SKIPPED = new Set(['xit', 'xtest', 'xdescribe'])

/** True if tests are registered and all of them are skipped. */
function skipsAll({ tokens, functions }: Source): boolean {
  let skipped = 0
  for (const [index, { text, isName }] of tokens.entries()) {
    const next = tokens[index + 1]?.text
    if (!isName || tokens[index - 1]?.text === '.' || functions.has(text)) continue
    if (SKIPPED.has(text) && next === '(') skipped++
    if (!['it', 'test'].includes(text) || (next !== '(' && next !== '.')) continue
    if (next !== '.' || !['skip', 'todo'].includes(tokens[index + 2]?.text ?? '')) return false
    skipped++
  }
  return skipped > 0
}

// ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|=>|\S/gu
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
/** If the previous token matches, a slash begins a regular expression, not a division. */
const BEFORE_PATTERN = /^(?:|[([{,;=:?!&|+\-*%<>~^]|=>|return|typeof|case|in|of|await)$/
const OPEN = '([{'
const CLOSE = ')]}'

function read(text: string): Source {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  let last = 0
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [one] = found
    const isFirst = text.slice(last, found.index).includes('\n')
    if (one.startsWith('//') || one.startsWith('/*')) continue
    if (one === '/' && BEFORE_PATTERN.test(tokens.at(-1)?.text ?? '')) {
      REGEX.lastIndex = found.index
      const pattern = REGEX.exec(text)
      if (pattern !== null) TOKEN.lastIndex = REGEX.lastIndex
    }
    const isName = /^[\p{ID_Start}$_]/u.test(one)
    tokens.push({ text: isName || one.length < 3 ? one : one.slice(0, 200), isName, isFirst })
    last = TOKEN.lastIndex
  }
  const partner = tokens.map(() => -1)
  const open: number[] = []
  for (const [index, { text: one }] of tokens.entries())
    if (OPEN.includes(one)) open.push(index)
    else if (CLOSE.includes(one)) {
      const begin = open.pop()
      if (begin === undefined) continue
      partner[begin] = index
      partner[index] = begin
    }
  return { tokens, partner, functions: functionsOf(tokens, partner) }
}

function functionsOf(tokens: readonly Token[], partner: readonly number[]): Map<string, number> {
  const functions = new Map<string, number>()
  for (const [index, { text }] of tokens.entries()) {
    const at = (offset: number): string => tokens[index + offset]?.text ?? ''
    if (text === 'function' && tokens[index + 1]?.isName === true) keep(at(1), bodyAfter(index + 2))
    else if (['const', 'let', 'var'].includes(text) && at(2) === '=') {
      const begin = index + 3 + (at(3) === 'async' ? 1 : 0)
      keep(at(1), bodyAfter(tokens[begin]?.text === 'function' ? begin + 1 : begin))
    }
  }
  return functions

  function keep(name: string, body: number): void {
    if (body !== -1) functions.set(name, body)
  }
  /** Returns the index of the opening brace of a function's body, given the index of its parameters. */
  function bodyAfter(parameters: number): number {
    const close = tokens[parameters]?.text === '(' ? (partner[parameters] ?? -1) : -1
    if (close === -1) return -1
    const next = close + (tokens[close + 1]?.text === '=>' ? 2 : 1)
    return tokens[next]?.text === '{' && (partner[next] ?? -1) !== -1 ? next : -1
  }
}

// ── Assertions ───────────────────────────────────────────────────────────────────────────────────────

interface From {
  readonly source: Source
  /** Functions that were already inspected. */
  readonly seen: Set<string>
}

const REGISTERS = new Set(['test', 'it', 'describe', 'suite'])
/**
 * Keywords of branches. The code after them may not run, or may run only later, so an assertion there is not certain to
 * run.
 */
const BRANCHES = new Set([
  'if',
  'else',
  'for',
  'while',
  'switch',
  'try',
  'catch',
  'function',
  'class',
])

/** True if running this range of statements certainly runs an assertion. */
function asserts(begin: number, end: number, from: From): boolean {
  const { tokens, partner, functions } = from.source
  const textAt = (index: number): string => tokens[index]?.text ?? ''
  for (let index = begin; index < end; index++) {
    const { text, isName } = tokens[index] as Token
    const before = textAt(index - 1)
    const next = textAt(index + 1)
    if (text === 'return' || text === 'throw') return false
    if ('&|?'.includes(text) || (text === '=>' && next !== '{'))
      index = pastStatement(index + 1, from.source)
    else if (BRANCHES.has(text)) {
      const after = pastBranch(index, from.source)
      if (after === -1) return false
      index = after
    } else if (OPEN.includes(text)) {
      if (partner[index] === -1) return false
      index = partner[index] ?? end
    } else if (isName && before !== '.' && isAssertion(index, from.source)) return true
    else if (isName && before !== '.' && next === '(') {
      if (REGISTERS.has(text) && !functions.has(text) && registered(index + 1, from)) return true
      if (functions.has(text) && before !== 'new' && assertsIn(text, from)) return true
    }
  }
  return false
}

function isAssertion(index: number, { tokens, partner }: Source): boolean {
  const textAt = (offset: number): string => tokens[index + offset]?.text ?? ''
  const { text } = tokens[index] as Token
  const isCalled = textAt(1) === '(' || (textAt(1) === '.' && textAt(3) === '(')
  if (text === 'assert') return isCalled
  if (text === 'console') return textAt(1) === '.' && textAt(2) === 'assert' && textAt(3) === '('
  // `expect(…)` asserts nothing unless a matcher follows.
  const close = partner[index + 1] ?? -1
  return text === 'expect' && textAt(1) === '(' && tokens[close + 1]?.text === '.'
}

/**
 * Returns the index at which `if (…) {…}` or `function name(…): Type {…}` ends, with or without braces; -1 if unknown.
 */
function pastBranch(index: number, source: Source): number {
  const { tokens, partner } = source
  const textAt = (at: number): string => tokens[at]?.text ?? ''
  const isFunction = textAt(index) === 'function' || textAt(index) === 'class'
  let at = index + 1
  while (at < tokens.length && textAt(at) !== '(' && textAt(at) !== '{') {
    // The branch is a statement without braces, as in `else assert(…)`.
    if (!isFunction && textAt(index) === 'else' && textAt(at) !== 'if')
      return pastStatement(at, source)
    at++
  }
  if (textAt(at) === '(') at = (partner[at] ?? -2) + 1
  if (at < 0) return -1
  if (textAt(at) === '{') return partner[at] ?? -1
  if (!isFunction) return pastStatement(at, source)
  // A return type may be between the parameters and the body, and may contain braces. A brace after one of these
  // characters belongs to that type.
  for (; at < tokens.length; at++) {
    const isBody = textAt(at) === '{' && !':|&<,='.includes(textAt(at - 1))
    if (OPEN.includes(textAt(at))) {
      const close = partner[at] ?? -1
      if (isBody || close === -1) return close
      at = close
    }
  }
  return -1
}

/**
 * Matches tokens that continue an expression. If a line ends with such a token, or the next line starts with one, the
 * expression continues on the next line.
 */
const GOES_ON = /^(?:[.,=:?&|+\-*/%<>]|=>|in|of|instanceof|await|new|typeof)$/

/** Returns the index of the last token of the statement that this token belongs to. */
function pastStatement(index: number, { tokens, partner }: Source): number {
  for (let at = index; at < tokens.length; at++) {
    const { text, isFirst } = tokens[at] as Token
    if (text === ';' || CLOSE.includes(text)) return at - (text === ';' ? 0 : 1)
    if (at > index && isFirst && !GOES_ON.test(text) && !GOES_ON.test(tokens[at - 1]?.text ?? ''))
      return at - 1
    if (OPEN.includes(text) && (partner[at] ?? -1) > at) at = partner[at] ?? at
  }
  return tokens.length
}

const assertsIn = (name: string, from: From): boolean => {
  const open = from.source.functions.get(name)
  if (open === undefined || from.seen.has(name)) return false
  from.seen.add(name)
  return asserts(open + 1, from.source.partner[open] ?? 0, from)
}

/** True if the function passed to `test(…)` certainly asserts. It is the last argument that is a function. */
function registered(open: number, from: From): boolean {
  const { tokens, partner } = from.source
  const close = partner[open] ?? -1
  let body = -1
  for (let index = open + 1; index < close; index++) {
    const { text } = tokens[index] as Token
    const before = tokens[index - 1]?.text
    if (text === '{' && (before === '=>' || before === ')')) body = index
    // An options object before the function may mark the test as skipped. So it is not certain that the test runs.
    else if (text === '{') return false
    if (OPEN.includes(text)) index = partner[index] ?? close
  }
  return body !== -1 && asserts(body + 1, partner[body] ?? 0, from)
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────

const OWN = new Set([
  ...REGISTERS,
  ...BRANCHES,
  ...'before after beforeEach afterEach beforeAll afterAll expect assert require import return typeof await'.split(
    ' ',
  ),
])

/** True if the tests call something that neither the tests nor the language define, so it may be the solution's. */
function callsSolution({ tokens, functions }: Source): boolean {
  return tokens.some(({ text, isName }, index) => {
    const before = tokens[index - 1]?.text
    const next = tokens[index + 1]?.text
    if (!isName || before === '.' || before === 'function') return false
    if (next === '.' && /^solution$/i.test(text)) return true
    return next === '(' && !OWN.has(text) && !functions.has(text) && !(text in globalThis)
  })
}
