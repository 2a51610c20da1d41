/** Reads Python source with regular expressions. */
import { bareSource, type TextSyntax } from '../../../../extract/bare-source.ts'
import type { Definition, ImportedModule, SourceReader } from '../../../../language.ts'
import { isKnownModule } from './known-modules.ts'

const SYNTAX: TextSyntax = {
  lineComment: '#',
  blockComment: null,
  quotes: [
    { mark: '"""', canSpanLines: true },
    { mark: "'''", canSpanLines: true },
    { mark: '"', canSpanLines: false },
    { mark: "'", canSpanLines: false },
  ],
}

const bare = (source: string): { text: string; isOpen: boolean } => {
  const { text, isOpen } = bareSource(source.replaceAll('\r\n', '\n'), SYNTAX)
  return { text: text.replaceAll('\\\n', ' '), isOpen }
}

const DEFINED =
  /^(?:(?:async[ \t]+)?(def|class)[ \t]+([\p{L}_][\p{L}\p{N}_]*)|([\p{L}_][\p{L}\p{N}_]*)[ \t]*(?::[^=\n]*)?=(?!=)([ \t]*lambda\b)?)/gmu

function defined(source: string): Definition[] {
  return [...bare(source).text.matchAll(DEFINED)].map(([, word, name, variable = '', lambda]) => {
    if (word === 'class') return { name: name ?? '', kind: 'type' }
    if (word === 'def') return { name: name ?? '', kind: 'function' }
    return { name: variable, kind: lambda === undefined ? 'value' : 'function' }
  })
}

const FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)/gm
const IMPORT = /^[ \t]*import[ \t]+([^\n]+)/gm

/** Returns the imports in the examples of docstrings, if the tests run these examples (doctests). */
const examplesIn = (tests: string): string =>
  /\bdoctest\b/.test(tests)
    ? [...tests.matchAll(/^[ \t]*>>> ((?:from|import)[ \t].*)$/gm)]
        .map(([, line = '']) => line)
        .join('\n')
    : ''

function imports(tests: string): ImportedModule[] {
  const text = `${bare(tests).text}\n${examplesIn(tests)}`
  const found: ImportedModule[] = []
  for (const [, module = '', list = ''] of text.matchAll(FROM)) {
    const name = module.replace(/^\.+/, '')
    if (isKnownModule(name)) continue
    const names = list
      .replaceAll(/[()]/g, ' ')
      .split(',')
      .map((part) => part.trim().split(/\s/, 1)[0] ?? '')
      .filter((part) => /^[\p{L}_]/u.test(part))
    found.push({ name, names: names.map((one) => [one]) })
  }
  for (const [, list = ''] of text.matchAll(IMPORT))
    for (const part of list.split(/[,;]/)) {
      const [, name, alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? []
      if (name === undefined || isKnownModule(name)) continue
      found.push({ name, names: attributesOf(alias ?? name, text).map((one) => [one]) })
    }
  return found
}

/** Returns the names of the attributes that the text accesses on this name. */
function attributesOf(name: string, text: string): string[] {
  const pattern = new RegExp(`\\b${name.replaceAll('.', '\\.')}\\.([\\p{L}_]\\w*)`, 'gu')
  return [...new Set([...text.matchAll(pattern)].map(([, attribute = '']) => attribute))]
}

const BOUND =
  /\b(?:def|class|as|for|lambda)[ \t]+([\p{L}_]\w*)|([\p{L}_]\w*)[ \t]*(?::[^=\n,()]*)?=(?!=)/gu
const NAME = /(?<![.\p{L}\p{N}_])[\p{L}_][\p{L}\p{N}_]*/gu

function mentioned(tests: string): ReadonlySet<string> {
  const { text } = bare(tests)
  const names = new Set([...text.matchAll(NAME)].map(([name]) => name))
  for (const [, defines, assigns] of text.matchAll(BOUND)) names.delete(defines ?? assigns ?? '')
  return names
}

const INSIDE = /^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+([\p{L}_][\p{L}\p{N}_]*)/gmu

const definedInside = (source: string): string[] =>
  [...bare(source).text.matchAll(INSIDE)].map(([, name = '']) => name)

const BEGINS = /^(?:@|(?:async[ \t]+)?def\b|class\b)/

/**
 * Puts the answer after the part of the prompt that the answer may need: the imports and helper functions before the
 * last definition. Import lines that the answer repeats are left out.
 */
function afterPrompt(prompt: string, answer: string): string {
  const lines = prompt.split('\n')
  const end = lines.findLastIndex(
    (line, index) => BEGINS.test(line) && !bare(lines.slice(0, index).join('\n')).isOpen,
  )
  const own = new Set(definedInside(answer))
  const [unfinished] = definedInside(lines.slice(Math.max(0, end)).join('\n'))
  // The answer does not define the function that the prompt asks for. It may be only the body, or a method without
  // its class.
  if (end === -1 || unfinished === undefined || !own.has(unfinished))
    return `${withBody(prompt)}\n\n${answer}`
  const repeated = new Set(answer.split('\n').filter((line) => isImport(line)))
  const last = lines.slice(0, end).findLastIndex((line) => !line.startsWith('@'))
  const before = lines.slice(0, last + 1).filter((line) => !repeated.has(line))
  // If the answer defines one of the helpers again, only the imports of the prompt are kept, so that nothing is
  // defined twice.
  const isRepeated = definedInside(before.join('\n')).some((name) => own.has(name))
  const kept = isRepeated ? before.filter((line) => isImport(line)) : before
  const text = kept.join('\n').trimEnd()
  return text === '' ? answer : `${text}\n\n\n${answer}`
}

/** Adds a `pass` body to a prompt that ends in a header such as `def f():`, so that code can follow it. */
function withBody(prompt: string): string {
  const code = prompt.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  const last = code.at(-1) ?? ''
  return last.trimEnd().endsWith(':')
    ? `${prompt.trimEnd()}\n${/^\s*/.exec(last)?.[0] ?? ''}    pass`
    : prompt
}

const isImport = (line: string): boolean => /^(?:import|from)\s/.test(line)

export const pythonSource: SourceReader = {
  bare,
  defined,
  definedInside,
  afterPrompt,
  extended: () => [],
  imports,
  mentioned,
  isImport,
  moduleOf: (path) => path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.'),
}
