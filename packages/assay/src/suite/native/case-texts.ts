/**
 * Reads the texts of a case: its turns, tests, reference, faulty answers and files. A text is in the suite itself or
 * in a file that the case names. These files are read first, so that the rest of the case can be read without
 * waiting.
 */
import type { Json } from '@assay/contract'
import { quote, type Notes, type Path } from '../../documents/index.ts'
import type { CaseFrame, SuiteFrame, TextSource } from './schema.ts'
import { pathRefusal, type SuiteFiles } from './suite-files.ts'

/** The data that functions in this file need to read the texts of a case. */
export interface TextReading {
  readonly given: CaseFrame
  readonly path: Path
  readonly notes: Notes
  readonly read: FilesRead
}

/** The files that a case names, by their names. */
export type FilesRead = ReadonlyMap<string, Awaited<ReturnType<SuiteFiles['text']>>>

const NO_FILES: FilesRead = new Map()

/** Returns the files that a case names. Most cases name none. */
function filesIn(
  { prompt, turns = [], system, tests, reference, faulty = [], files, workspace }: CaseFrame,
  frame: SuiteFrame | undefined,
): string[] {
  const named: string[] = []
  const add = (source: TextSource | undefined): void => {
    if (typeof source === 'object') named.push(source.file)
  }
  for (const source of [prompt, system, tests, reference]) add(source)
  for (const source of turns) add(source)
  for (const source of faulty) add(source)
  for (const table of [files, workspace?.hidden, frame?.defaults?.workspace?.hidden])
    if (table !== undefined) for (const source of Object.values(table)) add(source)
  return named
}

async function readNamed(named: readonly string[], beside: SuiteFiles): Promise<FilesRead> {
  const read = new Map<string, Awaited<ReturnType<SuiteFiles['text']>>>()
  for (const file of named) read.set(file, await beside.text(file))
  return read
}

/** Reads the files that a case names. */
export function filesOf(
  given: CaseFrame,
  frame: SuiteFrame | undefined,
  beside: SuiteFiles,
): FilesRead | Promise<FilesRead> {
  const named = filesIn(given, frame)
  return named.length === 0 ? NO_FILES : readNamed(named, beside)
}

export function readTurns(at: TextReading): string[] {
  const { given, path } = at
  if (given.turns !== undefined) return readTexts(at, given.turns, 'turns', true)
  if (given.prompt === undefined) return given.input === undefined ? [] : [inputText(given.input)]
  return [readText(at, given.prompt, [...path, 'prompt'], true)]
}

/** Returns an input as text, for people and for subjects that take text. */
const inputText = (input: Json): string =>
  typeof input === 'string' ? input : JSON.stringify(input, null, 2)

export function readTexts(
  at: TextReading,
  sources: readonly TextSource[],
  key: string,
  asked = false,
): string[] {
  const texts: string[] = []
  for (const [index, source] of sources.entries())
    texts.push(readText(at, source, [...at.path, key, index], asked))
  return texts
}

export function readOptional(
  at: TextReading,
  key: 'tests' | 'reference' | 'system',
): string | null {
  const source = at.given[key]
  return source === undefined ? null : readText(at, source, [...at.path, key])
}

/** Returns the text itself or the text of the named file. Line endings become LF, as in documents. */
function readText(at: TextReading, source: TextSource, path: Path, asked = false): string {
  if (typeof source === 'string') return source
  const text = readFile(at, source.file, path).replaceAll('\r\n', '\n')
  if (asked && text.trim() === '')
    at.notes.problem(path, { found: 'a blank file', expected: 'a prompt that is not blank' })
  return text
}

function readFile(at: TextReading, file: string, path: Path): string {
  const read = at.read.get(file)
  if (read === undefined) throw new Error(`${file} was not read`)
  if ('text' in read) return read.text
  at.notes.problem([...path, 'file'], {
    found: `${quote(file)} (${read.refusal.found})`,
    expected: read.refusal.expected,
  })
  // The problem with the file is already noted. An empty text would cause a second problem about the same field.
  return '-'
}

export function readFiles(
  at: TextReading,
  sources: Readonly<Record<string, TextSource>>,
  root: Path,
): Record<string, string> {
  const files: Record<string, string> = {}
  const given = Object.entries(sources)
  for (const [name, source] of given) {
    const path = [...root, name]
    const wrong = pathRefusal(name)
    const folder = given.some(([other]) => other.startsWith(`${name}/`))
    if (wrong !== null) at.notes.problem(path, { at: 'key', ...wrong })
    else if (folder)
      at.notes.problem(path, {
        at: 'key',
        found: 'a file that is also a folder',
        expected: 'another path',
      })
    files[name] = typeof source === 'string' ? source : readFile(at, source.file, path)
  }
  return files
}
