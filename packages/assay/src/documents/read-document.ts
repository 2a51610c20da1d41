/**
 * Converts text in one of the three syntaxes (TOML, YAML, JSON) to a document with locations. Errors of all parsers
 * become problems with a location here, and data that is not plain JSON is refused. So later code does not need to know
 * which syntax a file has.
 */
import { parse as parseToml, TomlError } from 'smol-toml'
import type { Json } from '@assay/contract'
import { positionAt, located, SyntaxProblem, type Document } from './document.ts'
import { foundAt, MOST_DEPTH, parseJson } from './json-text.ts'
import { plainJson } from './plain-value.ts'
import { escapeControls, formatPath, SuiteError, type Problem } from './problem.ts'
import { tomlLocations } from './toml-locations.ts'
import { parseYaml, YamlProblems } from './yaml-text.ts'

export type Syntax = 'toml' | 'yaml' | 'json'

const NAMES: Readonly<Record<Syntax, string>> = { toml: 'TOML', yaml: 'YAML', json: 'JSON' }

export interface ReadOptions {
  /** If true, the text may contain secrets, so errors do not quote it. */
  readonly secret?: boolean
}

/** Parses the text. Throws a `SuiteError` if it is not valid. */
export function readDocument(
  file: string,
  text: string,
  syntax: Syntax,
  options: ReadOptions = {},
): Document {
  // A git checkout can change line endings. Line endings must not change the hash of a case, so all of them become LF.
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  try {
    return plainDocument(PARSERS[syntax](file, source))
  } catch (error) {
    if (error instanceof SuiteError) throw error
    throw new SuiteError(syntaxProblems(error, source, syntax).map((problem) => at(problem)))
  }

  function at(problem: SyntaxProblem): Problem {
    const { expected } = problem
    const found = options.secret === true ? 'something else' : problem.found
    const message = `expected ${expected}, found ${found}`
    return { file, ...positionAt(source, problem.offset), found, expected, message }
  }
}

interface Unchecked {
  readonly document: Document
  readonly value: unknown
  /** Whether no other code uses the value and no part of it is used twice. */
  readonly isOwn?: boolean
}

const PARSERS: Readonly<Record<Syntax, (file: string, text: string) => Unchecked>> = {
  json(file, text) {
    const { value, locations } = parseJson(text)
    return { document: located(file, text, value, locations), value, isOwn: true }
  },
  toml(file, text) {
    const value: unknown = parseToml(text, { maxDepth: MOST_DEPTH })
    return { document: located(file, text, null, () => tomlLocations(text)), value }
  },
  yaml(file, text) {
    const yaml = parseYaml(text)
    const locate: Document['locate'] = (path, what) => positionAt(text, yaml.offsetOf(path, what))
    return { document: { file, value: null, locate }, value: yaml.value }
  },
}

function plainDocument({ document, value, isOwn }: Unchecked): Document {
  const plain = plainJson(value, isOwn)
  if (plain.faults.length > 0)
    throw new SuiteError(
      plain.faults.map(({ path, found, expected }) => {
        const position = document.locate(path, 'value')
        const where = path.length === 0 ? '' : `${formatPath(path)}: `
        const message = `${where}expected ${expected}, found ${found}`
        return {
          file: document.file,
          line: position?.line ?? null,
          column: position?.column ?? null,
          found,
          expected,
          message,
        }
      }),
    )
  return withValue(document, plain.value)
}

function withValue(document: Document, value: Json): Document {
  return { file: document.file, value, locate: (path, at) => document.locate(path, at) }
}

function syntaxProblems(error: unknown, text: string, syntax: Syntax): readonly SyntaxProblem[] {
  if (error instanceof SyntaxProblem) return [error]
  if (error instanceof YamlProblems) return error.problems
  const expected = `valid ${NAMES[syntax]}`
  if (error instanceof TomlError) {
    const offset = offsetOfLine(text, error.line) + error.column - 1
    const reason = firstLine(error).replace(/^Invalid TOML document: /, '')
    const found = foundAt(text, offset)
    // If a string is not closed, the TOML parser reports the end of the line as a control character. This is replaced
    // with a clearer message.
    if (reason.startsWith('control characters') && /[\r\n]/u.test(text.charAt(offset)))
      return [new SyntaxProblem(offset, found, 'the closing quote of the text')]
    return reason.includes('already defined')
      ? [new SyntaxProblem(offset, `${found} a second time`, 'each key and table once')]
      : [new SyntaxProblem(offset, found, `${expected} (${reason})`)]
  }
  // The libraries throw other errors if the nesting is too deep, if there are too many aliases, or if an alias has no
  // anchor. These errors have no location, so the beginning of the file is reported.
  const reason = error instanceof RangeError ? 'less deeply nested' : firstLine(error)
  return [new SyntaxProblem(0, 'something that cannot be read', `${expected} (${reason})`)]
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return escapeControls(message.split('\n')[0] ?? '').slice(0, 200)
}

function offsetOfLine(text: string, line: number): number {
  let offset = 0
  for (let i = 1; i < line; i++) {
    const end = text.indexOf('\n', offset)
    if (end === -1) return text.length
    offset = end + 1
  }
  return offset
}
