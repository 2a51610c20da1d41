/**
 * The code in an answer. Models talk around it: it is the fenced block of the case's language, else the
 * block without a language, else the only block, else the text as it is. Of several such blocks it is the
 * last that defines what is asked for, else the longest: the others are examples of its use, or drafts.
 * Blocks that carry file names are several files.
 */
import type { Case } from '@assay/contract'
import { fencedBlocks, type FencedBlock } from './fenced.ts'
import type { Language, Sources } from './language.ts'

export interface Extracted {
  readonly files: Sources
  /** The file that tests mean by the solution. */
  readonly main: string
}

/** Deep enough for a block in a list in a list. */
const LIST_INDENT = 12

/** The code, or null where the answer has none. */
export function extractCode(
  answer: string,
  given: Sources,
  one: Pick<Case, 'continuation' | 'entryPoint' | 'stop' | 'tests' | 'turns'>,
  language: Language,
): Extracted | null {
  const own = Object.fromEntries(
    Object.entries(given).filter(([path]) => isSafePath(path) && isOf(path, language)),
  )
  if (Object.keys(own).length > 0) return withMain(own, language)

  const blocks = fencedBlocks(answer, LIST_INDENT)
  const named = namedFiles(blocks, language)
  if (named !== null) return withMain(named, language)
  const wanted = one.entryPoint === null ? importedNames(one.tests ?? '') : [one.entryPoint]
  const code = chosen(blocks, wanted, language)
  const source = one.continuation ? continued(answer, code, one, language) : (code ?? answer)
  if (source === null || isNoCode(code ?? answer, code !== null || one.continuation, language))
    return null
  return { files: { [language.main]: source }, main: language.main }
}

function chosen(
  blocks: readonly FencedBlock[],
  wanted: readonly string[],
  language: Language,
): string | null {
  const tagged = blocks.filter((block) => isTagged(block, language))
  const untagged = blocks.filter((block) => block.language === '')
  const candidates = [tagged, untagged, blocks.length === 1 ? blocks : []].find(
    (list) => list.length > 0,
  )
  if (candidates === undefined) return null
  const count = ({ content }: FencedBlock): number =>
    wanted.filter((name) => defines(content, name)).length
  const most = Math.max(...candidates.map(count))
  const defining = most === 0 ? undefined : candidates.findLast((block) => count(block) === most)
  if (defining !== undefined) return defining.content
  return candidates.reduce((a, b) => (b.content.length > a.content.length ? b : a)).content
}

const isTagged = ({ language: tag }: FencedBlock, { fences }: Language): boolean =>
  fences.includes(tag)

/**
 * A continuation goes behind its prompt, up to where the format says it ends. A model that repeats the
 * whole function instead has it taken as it is, behind the prelude of a language that has one.
 */
function continued(
  answer: string,
  code: string | null,
  { entryPoint, stop, turns }: Pick<Case, 'entryPoint' | 'stop' | 'turns'>,
  language: Language,
): string {
  const prompt = turns.join('\n')
  const text = code ?? answer
  const again = entryPoint ?? lastDefined(prompt, language)
  if (again !== null && defines(text, again)) return `${language.prelude?.(prompt) ?? ''}${text}`
  const ends = stop.map((token) => text.indexOf(token)).filter((at) => at !== -1)
  const whole = `${prompt}${ends.length === 0 ? text : text.slice(0, Math.min(...ends))}`
  // Where the format ends an answer at the brace that closes its function, the brace is still the program's.
  return stop.some((token) => token.startsWith('\n}')) && isOpen(whole) ? `${whole}\n}\n` : whole
}

/** Whether a brace is left open, by count. */
const isOpen = (code: string): boolean => code.split('{').length > code.split('}').length

const IMPORTED = /\bimport\s*\{([^{}]*)\}\s*from\s*['"][./]|\bfrom\s+solution\s+import\s+([^\n#]*)/g

/** What the tests import from the solution, by name. */
function importedNames(tests: string): string[] {
  const names: string[] = []
  for (const [, braces, line] of tests.matchAll(IMPORTED))
    for (const part of (braces ?? line ?? '').split(',')) {
      const [name = ''] = part
        .replaceAll(/[()]|\btype\s/g, '')
        .trim()
        .split(/\s/, 1)
      if (name !== '' && name !== '*') names.push(name)
    }
  return names
}

const DEFINITION =
  /^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:pub(?:\([a-z]+\))?[ \t]+)?(?:async[ \t]+)?(?:def|function\*?|fn|class|const|let|var|interface|type|enum|struct|trait)[ \t]+([\p{L}_$][\p{L}\p{N}_$]*)/gmu

function defines(source: string, name: string): boolean {
  for (const [, found] of source.matchAll(DEFINITION)) if (found === name) return true
  return false
}

/** Names of functions, classes and variables that a program defines at its top level. */
export function definedNames(source: string): string[] {
  const top = [...source.matchAll(DEFINITION)].filter(([line]) => !/^[ \t]/.test(line))
  return [...new Set(top.map(([, name = '']) => name))]
}

function lastDefined(source: string, { definition = DEFINITION }: Language): string | null {
  return [...source.matchAll(definition)].at(-1)?.[1] ?? null
}

/** What every statement of the languages here has at least one of. */
const PUNCTUATION = /[=(){}[\]:;]/

/** Blank, nothing but comments, or a whole text, not known to be code, that has nothing of code in it. */
function isNoCode(code: string, known: boolean, { comments }: Language): boolean {
  const lines = code.split('\n').filter((line) => !line.trimStart().startsWith(comments.line))
  const rest = withoutBlockComments(lines.join('\n'), comments.block)
  return rest.trim() === '' || (!known && !PUNCTUATION.test(rest))
}

/** By hand: a pattern would look for the end of each comment anew. */
function withoutBlockComments(code: string, marks: readonly [string, string] | null): string {
  if (marks === null) return code
  const [opens, closes] = marks
  let rest = ''
  let from = 0
  for (;;) {
    const begin = code.indexOf(opens, from)
    const end = begin === -1 ? -1 : code.indexOf(closes, begin + opens.length)
    if (end === -1) return rest + code.slice(from)
    rest += code.slice(from, begin)
    from = end + closes.length
  }
}

// ── Several files ────────────────────────────────────────────────────────────────────────────────────

/** Files by name, where at least two blocks of the language carry one; else null. */
function namedFiles(blocks: readonly FencedBlock[], language: Language): Sources | null {
  const files: Record<string, string> = {}
  for (const block of blocks) {
    const path = pathOf(block, language)
    if (path !== null) files[path] = block.content
  }
  return Object.keys(files).length > 1 ? files : null
}

const IN_INFO = /(?:title|file|filename|path|name)\s*=\s*["']?([^\s"'}]+)/i
const LINE_COMMENT = /^\s*(?:\/\/|#|--)\s*(?:file(?:name)?:\s*)?(\S+)\s*$/i
const LONE_PATH = /^(?:#+\s*)?(?:\d+[.)]\s*)?(?:file(?:name)?:\s*)?[*_`]*([\w./@-]+)[*_`]*:?[*_]*$/i

/** The file name in the info string, on the line before the block, or in a comment on its first line. */
function pathOf(block: FencedBlock, language: Language): string | null {
  if (block.language !== '' && !isTagged(block, language) && !isOf(block.info, language))
    return null
  const [firstLine = ''] = block.content.split('\n', 1)
  // No name is that long, and a pattern takes its time with what is.
  const [info, before, first] = [block.info, block.before, firstLine].map((text) =>
    text.slice(0, MOST_PATH).replaceAll('\\', '/'),
  ) as [string, string, string]
  const found = [
    IN_INFO.exec(info)?.[1],
    ...info.split(/[\s,:]+/),
    LONE_PATH.exec(before)?.[1],
    LINE_COMMENT.exec(first)?.[1],
  ]
  const path = found.find(
    (one) => one !== undefined && isOf(one, language) && isSafePath(one.replace(/^\.\//, '')),
  )
  return path?.replace(/^\.\//, '') ?? null
}

const isOf = (path: string, { endings }: Language): boolean =>
  endings.some((ending) => path.toLowerCase().endsWith(ending) && path.length > ending.length)

const MOST_PATH = 200

/** Relative, inside, and nothing that a file system would take otherwise. */
function isSafePath(path: string): boolean {
  if (path.length > MOST_PATH || !/^[\w@.][\w@./ -]*$/u.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const MAIN_NAMES = ['solution', 'index', 'main', 'lib', 'mod', 'app']

function withMain(files: Sources, { main, endings }: Language): Extracted {
  const paths = Object.keys(files)
  const stem = (path: string): string => {
    const name = path.split('/').at(-1) ?? path
    const ending = endings.find((one) => name.toLowerCase().endsWith(one)) ?? ''
    return name.slice(0, name.length - ending.length).toLowerCase()
  }
  for (const name of MAIN_NAMES) {
    const found = paths.filter((path) => stem(path) === name)
    const [shortest] = found.toSorted((a, b) => a.length - b.length)
    if (shortest !== undefined) return { files, main: shortest }
  }
  if (paths.length === 1) return { files: { [main]: files[paths[0] ?? ''] ?? '' }, main }
  return { files, main: paths[0] ?? main }
}
