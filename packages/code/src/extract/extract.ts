/**
 * Extracts the code from an answer, because models write prose around it. The code is searched in this order: the
 * fenced block with the case's language, a block without a language, the only block, the whole text. If several
 * blocks match, `choose.ts` picks one. If blocks have file names, the solution consists of several files. If the
 * answer is a diff, it is applied to a file of the case.
 */
import type { Case } from '@assay/contract'
import { blocksOf, codeInProse, plainText, withoutProse } from './answer-text.ts'
import { chooseCode } from './choose.ts'
import { continued } from './continuation.ts'
import type { FencedBlock } from './fenced.ts'
import { needsOf, solutionModule, type Needs, type TestedCase } from './needs.ts'
import { patchedFiles } from './patch.ts'
import type { Language, Sources } from '../language.ts'

export interface Extracted {
  readonly files: Sources
  /** The file that the tests import as the solution. */
  readonly main: string
}

export type ExtractedCase = TestedCase & Pick<Case, 'continuation' | 'stop' | 'turns'>

/** Returns the code, or null if the answer contains none. */
export function extractCode(
  answer: string,
  given: Sources,
  one: ExtractedCase,
  language: Language,
): Extracted | null {
  const needs = needsOf(one, language)
  const main = { needs, module: solutionModule(one, language) }
  const own = Object.fromEntries(
    Object.entries(given).filter(([path]) => isSafePath(path) && isOf(path, language)),
  )
  if (Object.keys(own).length > 0) return withMain(own, main, language)

  const text = plainText(answer)
  const blocks = blocksOf(text)
  const patched = patchedFiles(diffsIn(text, blocks), one.files)
  if (patched !== null) return withMain(patched, main, language)
  const named = namedFiles(blocks, language)
  if (named !== null) return withMain(named, main, language)
  const code =
    chooseCode(
      blocks.map((block) => ({ ...block, content: withoutProse(block) })),
      needs,
      language,
    ) ?? (one.continuation ? null : codeInProse(text, language))
  const source = one.continuation ? continued(text, code, one, language) : (code ?? text)
  if (isNoCode(code ?? text, code !== null || one.continuation, language)) return null
  return { files: { [language.main]: source }, main: language.main }
}

/** Returns the blocks that are marked as a diff. If there are no blocks, returns the text itself if it is a diff. */
function diffsIn(text: string, blocks: readonly FencedBlock[]): string[] {
  const marked = blocks.filter(({ language }) => ['diff', 'patch', 'udiff'].includes(language))
  if (marked.length > 0) return marked.map(({ content }) => content)
  return blocks.length === 0 && /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text) ? [text] : []
}

const isTagged = ({ language: tag }: FencedBlock, { fences }: Language): boolean =>
  fences.includes(tag)

/** Every statement in the supported languages contains at least one of these characters. */
const PUNCTUATION = /[=(){}[\]:;]/

/**
 * True if the code is blank or has only comments. Text that was not in a block (`known` is false) must also contain
 * code punctuation, because it may be prose.
 */
function isNoCode(code: string, known: boolean, language: Language): boolean {
  const { text } = language.source.bare(code)
  return text.trim() === '' || (!known && !PUNCTUATION.test(text))
}

// ── Several files ────────────────────────────────────────────────────────────────────────────────────

/** Returns the files by name if at least two blocks of the language have a file name, else null. */
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

/**
 * Returns the path of the file that a block contains. The path is in the info string (the text after the opening
 * fence), in the line before the block, or in a comment on the block's first line.
 */
function pathOf(block: FencedBlock, language: Language): string | null {
  if (block.language !== '' && !isTagged(block, language) && !isOf(block.info, language))
    return null
  const [firstLine = ''] = block.content.split('\n', 1)
  // The patterns below are slow on long text. No file name is longer than `MOST_PATH`, so longer text is skipped.
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

/**
 * True for a relative path that stays inside its folder and has no characters with a special meaning to a file
 * system.
 */
function isSafePath(path: string): boolean {
  if (path.length > MOST_PATH || !/^[\w@.][\w@./ -]*$/u.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const MAIN_NAMES = ['solution', 'index', 'main', 'lib', 'mod', 'app']

interface MainFile {
  readonly needs: Needs
  readonly module: string | null
}

/** Picks the main file. Test files in the answer are left out, because only the case's own tests count. */
function withMain(given: Sources, { needs, module }: MainFile, language: Language): Extracted {
  const others = Object.entries(given).filter(([path]) => !isTestFile(path))
  const files = others.length > 0 ? Object.fromEntries(others) : given
  const paths = Object.keys(files)
  if (paths.length === 1)
    return { files: { [language.main]: files[paths[0] ?? ''] ?? '' }, main: language.main }
  const byLength = paths.toSorted((a, b) => a.length - b.length)
  const called = byLength.find((path) => module !== null && isCalled(path, module, language))
  if (called !== undefined) return { files, main: called }
  const counts = paths.map((path) => {
    const names = new Set(language.source.defined(files[path] ?? '').map(({ name }) => name))
    return needs.wanted.filter((some) => some.some((name) => names.has(name))).length
  })
  const most = Math.max(...counts)
  const defining = paths.filter((_, index) => counts[index] === most)
  if (most > 0 && defining.length === 1) return { files, main: defining[0] ?? language.main }
  for (const name of MAIN_NAMES) {
    const shortest = byLength.find(
      (path) => stemOf(path, language) === name && (most === 0 || defining.includes(path)),
    )
    if (shortest !== undefined) return { files, main: shortest }
  }
  return { files, main: (most > 0 ? defining[0] : paths[0]) ?? language.main }
}

const isCalled = (path: string, module: string, language: Language): boolean =>
  language.source.moduleOf(path) === module ||
  stemOf(path, language) === (module.split('.').at(-1) ?? module).toLowerCase()

const isTestFile = (path: string): boolean =>
  /(?:^|\/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec))\.[a-z]+$|(?:^|\/)(?:tests?|__tests__)\//i.test(
    path,
  )

function stemOf(path: string, { endings }: Language): string {
  const name = path.split('/').at(-1) ?? path
  const ending = endings.find((one) => name.toLowerCase().endsWith(one)) ?? ''
  return name.slice(0, name.length - ending.length).toLowerCase()
}
