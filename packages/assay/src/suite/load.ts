/**
 * Loads a suite from a path. The content shows the format, and each format has one reader. The file name decides
 * only two things that the content cannot show: whether a text is TOML, YAML or JSON, and that a `.ts` or `.js` file
 * is a program.
 */
import path from 'node:path'
import type { FunctionHost, Json, Prompt } from '@assay/contract'
import { openFunctions } from '../functions/index.ts'
import { moduleHint } from '../text/index.ts'
import { SuiteFiles } from './native/suite-files.ts'
import { isRecordedAnswer, readRows, rowFormat, type Row } from './import/humaneval.ts'
import {
  positionAt,
  located,
  SyntaxProblem,
  type Document,
  parseJson,
  SuiteError,
  readDocument,
  readLines,
  readText,
  isModulePath,
  readModule,
  escapeControls,
  fileError,
  formatPath,
  unplaced,
} from '../documents/index.ts'
import { isEvalSet, readEvalSet } from './import/eval-set.ts'
import { isEvalYaml, readEvalYaml } from './import/eval-yaml/eval-yaml.ts'
import { comparableId, type LoadedSuite } from './native/finish.ts'
import type { ProgramGraders } from './native/grading.ts'
import type { SuiteGrader } from './native/suite-grader.ts'
import { readNative } from './native/native.ts'
import { recognise } from './sniff.ts'

export interface LoadOptions {
  /** The graders that suites may use. */
  readonly graders: readonly SuiteGrader[]
  /** Whether the user named this file. Only then may a suite that is a program run. */
  readonly allowModules?: boolean
  /**
   * Whether graders that are programs must run in a sandbox, as in the run's option of the same name. Some graders
   * already run while a suite is read, so the option is needed here too.
   */
  readonly sandboxGraders?: boolean
  /**
   * What to do with graders that run with the user's permissions. Default: `run` if modules are allowed, otherwise
   * `refuse`.
   */
  readonly programs?: ProgramGraders
  /** The id of a suite that has no id and is not a file. */
  readonly fallbackId?: string
  /** Graders that only suites with functions may use. */
  readonly functionGraders?: readonly SuiteGrader[]
  /** Prompts that replace those of the suites. */
  readonly prompts?: readonly Prompt[]
  readonly signal?: AbortSignal
}

/** Loads a suite. Throws a `SuiteError` with all problems in the file. */
export async function loadSuite(file: string, options: LoadOptions): Promise<LoadedSuite> {
  const { signal } = options
  signal?.throwIfAborted()
  if (isModulePath(file)) {
    const allowed = options.allowModules ?? false
    const document = await readModule(file, {
      allowed,
      ...(signal === undefined ? {} : { signal }),
    })
    return document === null
      ? await readFunctions(file, options)
      : await readStructured(document, file, options)
  }
  const { syntax } = await recognise(file)
  if (syntax === 'rows') return await readRows(rowsOf(file, signal), file, idFromName(file))
  const text = await readText(file, signal)
  return await readStructured(readDocument(file, text, syntax), file, options)
}

/** Reads a suite with functions. The functions stay in the process that loaded the file. */
async function readFunctions(file: string, options: LoadOptions): Promise<LoadedSuite> {
  const loaded = await openFunctions(file)
  if (loaded.kind === 'failed')
    throw fileError(
      file,
      `a module that fails: ${escapeControls(loaded.reason).slice(0, 1000)}${moduleHint(escapeControls(file), loaded.reason)}`,
      'a module that loads',
    )
  if (loaded.kind === 'data')
    throw fileError(file, 'no functions', 'a suite with subjects or graders that are functions')
  return await readHosted(loaded.host, file, options)
}

/** Reads the data of a suite whose functions are called through `host`. */
export async function readHosted(
  host: FunctionHost,
  file: string,
  options: LoadOptions,
): Promise<LoadedSuite> {
  const { value, faults } = host.description
  if (faults.length > 0)
    throw new SuiteError(
      faults.map(({ path: at, found, expected }) => ({
        ...{ file, line: null, column: null, found, expected },
        message: `${formatPath(at)}: expected ${expected}, found ${found}`,
      })),
    )
  const own = { ...options, graders: [...options.graders, ...(options.functionGraders ?? [])] }
  const { suite, warnings } = await readStructured(unplaced(file, value), file, own)
  return { suite: { ...suite, functions: host }, warnings }
}

/**
 * Reads a suite that is an object and not a file. Messages show `place`, and paths in the suite are relative to its
 * folder.
 */
export const readObject = (
  value: Json,
  place: string,
  options: LoadOptions,
): Promise<LoadedSuite> => readStructured(unplaced(place, value), place, options)

async function readStructured(
  document: Document,
  file: string,
  options: LoadOptions,
): Promise<LoadedSuite> {
  const { value } = document
  const isRow = (one: unknown): boolean => rowFormat(one) !== null || isRecordedAnswer(one)
  if (Array.isArray(value) ? value.some(isRow) : isRow(value))
    return await readRows(entriesOf(document), file, idFromName(file))
  if (isEvalSet(value)) return readEvalSet(document, file)
  const reading = {
    path: file,
    graders: options.graders,
    programs: options.programs ?? (options.allowModules === true ? 'run' : 'refuse'),
    sandboxGraders: options.sandboxGraders ?? false,
    beside: new SuiteFiles(file),
    ...(options.prompts === undefined ? {} : { prompts: options.prompts }),
  }
  if (isEvalYaml(value)) return await readEvalYaml(document, reading, idFromName(file))
  return await readNative(document, reading, options.fallbackId ?? idFromName(file))
}

/**
 * Loads several suites and reports all problems at once. Two suites with the same id are refused, because the run's
 * records identify a suite only by its id.
 */
export async function loadSuites(
  files: readonly string[],
  options: LoadOptions,
): Promise<LoadedSuite[]> {
  const loaded: LoadedSuite[] = []
  const problems: SuiteError[] = []
  const byId = new Map<string, string>()
  for (const file of files) {
    try {
      const one = await loadSuite(file, options)
      const { id } = one.suite
      const other = byId.get(comparableId(id))
      if (other !== undefined) throw sameId(file, id, other)
      byId.set(comparableId(id), file)
      loaded.push(one)
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error
      problems.push(error)
    }
  }
  if (problems.length > 0) throw new SuiteError(problems.flatMap(({ problems: all }) => all))
  return loaded
}

function sameId(file: string, id: string, other: string): SuiteError {
  const found = `the suite id ${JSON.stringify(id)}`
  const expected = `an id that no other suite of the run has (${other} has it too)`
  const message = `expected ${expected}, found ${found}`
  return new SuiteError([{ file, line: null, column: null, found, expected, message }])
}

const ENDINGS = /(?:\.(?:gz|jsonl|ndjson|json|ya?ml|toml|txt|m?[jt]s))+$/i

/**
 * Returns an id for a suite that has none: the file name without extensions. Characters that are not allowed in an id
 * are replaced.
 */
function idFromName(file: string): string {
  const base = path.basename(file).replace(ENDINGS, '')
  // oxlint-disable-next-line no-control-regex
  const id = base.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').trim()
  return id === '' ? 'suite' : id.slice(0, 200).toWellFormed()
}

async function* rowsOf(file: string, signal: AbortSignal | undefined): AsyncGenerator<Row> {
  for await (const { text, number } of readLines(file, signal))
    if (text.trim() !== '') yield parseRow(text, number)
}

function parseRow(text: string, line: number): Row {
  try {
    return placedRow(text, line, parseJson(text, { python: true }).value)
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    const { found, expected, offset } = error
    const locate = () => ({ line, column: positionAt(text, offset).column })
    return { value: null, fault: { found, expected }, locate }
  }
}

function placedRow(text: string, line: number, value: Row['value']): Row {
  const row = located('', text, value, () => parseJson(text, { python: true }).locations())
  return {
    value,
    locate(at, what) {
      return { line, column: row.locate(at, what)?.column ?? 1 }
    },
  }
}

/** Returns the rows of a document that is a list. A document that is not a list counts as a single row. */
function entriesOf(document: Document): Row[] {
  const { value } = document
  if (!Array.isArray(value)) return [{ value, locate: (at, what) => document.locate(at, what) }]
  return (value as Row['value'][]).map((entry, index) => ({
    value: entry,
    locate: (at, what) => document.locate([index, ...at], what),
  }))
}
