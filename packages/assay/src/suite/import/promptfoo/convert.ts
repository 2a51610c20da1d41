/**
 * Converts a promptfoo configuration into a suite and a run file. Everything without an equivalent is listed with
 * its location. A case that lost an assertion would pass more easily, so it also gets the tag `incomplete`. Nothing
 * is executed.
 */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Json } from '@assay/contract'
import { fileError, readable, readDocument, readText } from '../../../documents/index.ts'
import { isTemplate, openTemplates, type TemplateEngine } from '../../data/template.ts'
import { sourceRefusal } from '../../native/suite-files.ts'
import { graderOf, isTable, textOf, type Findings, type Table } from './convert-asserts.ts'
import { subjectsOf } from './convert-providers.ts'
import { filePath, readTests, type Files } from './read-tests.ts'

export interface Converted {
  readonly suite: Table
  /** The settings of the run file: which subjects answer, and with which parameters. */
  readonly run: Table
  readonly cases: number
  readonly lost: readonly string[]
  readonly notes: readonly string[]
}

const KNOWN = new Set([
  ...['$schema', 'description', 'prompts', 'providers', 'targets', 'tests', 'defaultTest'],
  ...['evaluateOptions', 'outputPath', 'sharing', 'writeLatestResults'],
])
const MOST_COMBINED = 10_000

export async function convertPromptfoo(file: string): Promise<Converted> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw fileError(file, 'a folder', 'the path of the promptfooconfig.yaml in it')
  const folder = path.dirname(file)
  const files = filesIn(folder)
  const config = await files.value(path.basename(file))
  if (!isTable(config) || !isPromptfoo(config))
    throw fileError(file, 'not a promptfoo configuration', expectedInstead(file, config))
  const lost: string[] = []
  const notes: string[] = []
  const findings: Findings = {
    lost: (where, what) => void lost.push(`${where}: ${what}`),
    note: (where, what) => void notes.push(`${where}: ${what}`),
  }
  for (const key of Object.keys(config))
    if (!KNOWN.has(key)) findings.lost(key, 'Assay has no counterpart')
  const given = config['defaultTest']
  const base = typeof given === 'string' ? await files.value(filePath(given)) : (given ?? {})
  const templates = await openTemplates()
  const tests = await readTests(config['tests'], files, findings)
  const cases = new Map<string, Table>()
  for (const [at, { where, test }] of tests.entries())
    for (const one of await casesOf(test, isTable(base) ? base : {}, where, {
      files,
      findings,
      templates,
    }))
      cases.set(freeId(one, at, cases), one)
  const { suite: options, run } = optionsOf(config['evaluateOptions'])
  return {
    suite: {
      id:
        path.basename(folder === '.' ? path.resolve('.') : folder).replaceAll(/[^\w.-]+/g, '-') ||
        'imported',
      ...(typeof config['description'] === 'string' ? { description: config['description'] } : {}),
      prompts: await promptsOf(config['prompts'], files, findings),
      ...options,
      cases: [...cases].map(([id, one]) => ({ id, ...one })),
    },
    run: { ...run, ...subjectsOf(config['providers'] ?? config['targets'], findings) },
    cases: cases.size,
    lost,
    notes,
  }
}

const isPromptfoo = (config: Table): boolean =>
  config['tests'] !== undefined ||
  (config['prompts'] !== undefined && !Object.keys(config).some((key) => OF_SUITES.has(key)))

/**
 * Returns the end of the error message for a file that is not a promptfoo configuration: what was expected, and what to
 * do with this file instead.
 */
function expectedInstead(file: string, config: unknown): string {
  const keys = isTable(config) ? Object.keys(config) : []
  if (/\.toml$/iu.test(file) || keys.some((key) => OF_SUITES.has(key)))
    return 'one with prompts and tests. A suite needs no import: `assay validate` checks it, and `assay run` runs it'
  if (/\.(?:csv|tsv|jsonl|parquet)(?:\.gz)?$/iu.test(file))
    return 'one with prompts and tests. A table becomes cases by `data` and [template] in a suite'
  return 'promptfooconfig.yaml or a file like it, with prompts, providers and tests'
}

/**
 * Keys at the top level of suites, in Assay's own format and in other formats. A file with such a key is a suite, not a
 * promptfoo configuration.
 */
const OF_SUITES = new Set(['cases', 'data', 'eval_set', 'stimuli'])

/**
 * Returns functions that read files in the folder of the configuration. The configuration may be untrusted, so they
 * read nothing outside of this folder.
 */
function filesIn(folder: string): Files {
  const root = realpathSync(folder)
  const place = (name: string): string => {
    const full = realpathSync(path.resolve(root, name))
    if (full !== root && !full.startsWith(root + path.sep))
      throw fileError(name, 'a file outside of the folder', 'a file next to the configuration')
    // This refuses files in `.git`. Its settings can contain passwords, and every file that is read here becomes
    // part of a prompt.
    const refusal = sourceRefusal(path.relative(root, full).split(path.sep).join('/'))
    if (refusal !== null) throw fileError(name, refusal.found, 'a file next to the configuration')
    return full
  }
  const located = (name: string): string => {
    try {
      return place(name)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw readable(path.join(folder, name), error)
      throw error
    }
  }
  return {
    path: located,
    text: async (name) => await readText(located(name)),
    value: async (name) =>
      readDocument(name, await readText(located(name)), name.endsWith('.json') ? 'json' : 'yaml')
        .value,
  }
}

interface Context {
  readonly files: Files
  readonly findings: Findings
  readonly templates: TemplateEngine
}

/**
 * Returns the cases of a test. If variables have lists of values, there is one case for each combination of values.
 */
async function casesOf(
  test: Table,
  base: Table,
  where: string,
  context: Context,
): Promise<Table[]> {
  const { findings } = context
  for (const key of Object.keys(test))
    if (!TEST_KEYS.has(key)) findings.lost(where, `${key} of the test`)
  for (const [holder, at] of [
    [base, 'defaultTest'],
    [test, where],
  ] as const) {
    const options = holder['options']
    if (isTable(options))
      for (const key of Object.keys(options)) findings.lost(at, `options.${key}`)
  }
  const vars = {
    ...(isTable(base['vars']) ? base['vars'] : {}),
    ...(isTable(test['vars']) ? test['vars'] : {}),
  }
  const threshold = test['threshold'] ?? base['threshold']
  const asserts = [base['assert'], test['assert']].flatMap((one) => (Array.isArray(one) ? one : []))
  const found: Table[] = []
  for (const combined of combinations(vars, where, findings)) {
    const read = await withFiles(combined, context.files)
    const graders: Table[] = []
    for (const one of asserts) {
      const grader = graderOf(rendered(one, read, where, context), where, findings)
      if (grader !== null) graders.push(grader)
    }
    named(graders)
    found.push({
      ...(typeof test['description'] === 'string' && test['description'] !== ''
        ? { name: test['description'] }
        : {}),
      vars: read,
      ...(graders.length < asserts.length ? { tags: ['incomplete'] } : {}),
      ...(typeof threshold === 'number' ? { scoring: { threshold } } : {}),
      ...(graders.length === 0 ? {} : { graders }),
    })
  }
  return found
}

const TEST_KEYS = new Set(['description', 'vars', 'assert', 'threshold', 'options', 'metadata'])

/** Adds numbers to grader names that occur several times, because names must be unique within a case. */
function named(graders: Table[]): void {
  const seen = new Map<string, number>()
  for (const grader of graders) {
    const name = textOf(grader['name'] ?? grader['type'])
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    if (times > 1) grader['name'] = `${name} ${times}`
  }
}

function combinations(vars: Table, where: string, findings: Findings): Table[] {
  let all: Table[] = [{}]
  for (const [name, value] of Object.entries(vars)) {
    const values = Array.isArray(value) ? value : [value]
    if (all.length * values.length > MOST_COMBINED) {
      findings.lost(where, `more than ${MOST_COMBINED} combinations of variables`)
      return []
    }
    all = all.flatMap((one) => values.map((each) => ({ ...one, [name]: each })))
  }
  return all
}

async function withFiles(vars: Table, files: Files): Promise<Table> {
  const read: Table = {}
  for (const [name, value] of Object.entries(vars))
    read[name] =
      typeof value === 'string' && value.startsWith('file://')
        ? (await files.text(filePath(value))).trimEnd()
        : value
  return read
}

/** Fills the test's variables into an assertion, because promptfoo treats its texts as templates. */
function rendered(value: Json, vars: Table, where: string, context: Context): Json {
  if (typeof value === 'string') {
    if (!isTemplate(value)) return value
    try {
      const text = context.templates.compile(value).render(vars)
      return typeof text === 'string' ? text : JSON.stringify(text)
    } catch (error) {
      context.findings.note(
        where,
        `the template stays as it is: ${error instanceof Error ? error.message : String(error)}`,
      )
      return value
    }
  }
  if (Array.isArray(value)) return value.map((one) => rendered(one, vars, where, context))
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, rendered(one, vars, where, context)]),
  )
}

function freeId(one: Table, at: number, taken: ReadonlyMap<string, unknown>): string {
  const name = textOf(one['name'] ?? `test-${at + 1}`).toLowerCase()
  const id =
    name
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || `test-${at + 1}`
  if (!taken.has(id)) return id
  for (let number = 2; ; number++) if (!taken.has(`${id}-${number}`)) return `${id}-${number}`
}

async function promptsOf(given: Json | undefined, files: Files, findings: Findings): Promise<Json> {
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given]
  const prompts: Table = {}
  for (const [at, one] of list.entries()) {
    const text = isTable(one) ? (one['raw'] ?? one['id']) : one
    const label = isTable(one) && typeof one['label'] === 'string' ? one['label'] : null
    if (typeof text !== 'string') {
      findings.lost(`prompts[${at}]`, 'a prompt that is no text')
      continue
    }
    const isFile = text.startsWith('file://') || /^[^\n{}]+\.(?:txt|md|json|ya?ml|j2)$/.test(text)
    const name = (label ?? (isFile ? path.parse(filePath(text)).name : `prompt ${at + 1}`))
      .replaceAll(/[,\n]/g, ' ')
      .slice(0, 60)
      .trim()
    if (!isFile) prompts[name] = inline(text)
    else if (/\.(?:[cm]?[jt]s|py)(?::\w+)?$/.test(text) || text.includes('*'))
      findings.lost(`prompts[${at}]`, `${text}: a program or a pattern`)
    else Object.assign(prompts, await fromFile(name, filePath(text), files))
  }
  if (Object.keys(prompts).length === 0) findings.lost('prompts', 'none could be carried over')
  return prompts
}

/** Reads the prompts in a file. A file may contain several prompts, with lines of three dashes between them. */
async function fromFile(name: string, file: string, files: Files): Promise<Table> {
  if (/\.(?:json|ya?ml)$/.test(file)) return { [name]: { file } }
  const parts = (await files.text(file)).split(/^---\s*$/m).filter((part) => part.trim() !== '')
  if (parts.length === 1)
    return /\.(?:txt|md)$/.test(file) ? { [name]: { file } } : { [name]: parts[0] ?? '' }
  return Object.fromEntries(parts.map((part, at) => [`${name} ${at + 1}`, part.trim()]))
}

/** Returns a prompt that is written in the configuration itself. Its text may be a list of messages in JSON. */
function inline(text: string): Json {
  if (!/^\s*\[/.test(text)) return text
  try {
    const messages = JSON.parse(text) as Json
    return Array.isArray(messages) &&
      messages.every((one) => isTable(one) && typeof one['role'] === 'string')
      ? { messages }
      : text
  } catch {
    return text
  }
}

function optionsOf(given: Json | undefined): { suite: Table; run: Table } {
  const options = isTable(given) ? given : {}
  const { repeat, timeoutMs, maxConcurrency } = options
  const defaults = {
    ...(typeof repeat === 'number' ? { trials: repeat } : {}),
    ...(typeof timeoutMs === 'number' ? { timeout: timeoutMs / 1000 } : {}),
  }
  return {
    suite: Object.keys(defaults).length === 0 ? {} : { defaults },
    run: typeof maxConcurrency === 'number' ? { parallelism: maxConcurrency } : {},
  }
}
