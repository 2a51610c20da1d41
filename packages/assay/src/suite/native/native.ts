/**
 * Reads the native format: turns a document into a suite. Cases and graders are checked one by one, so that one bad
 * case does not hide the problems of the next. Then defaults are applied and files next to the suite are read, so
 * each case is fully resolved.
 */
import {
  parseDuration,
  type Call,
  type Case,
  type Expectations,
  type OptionFault,
  type Suite,
  type WorkspacePlan,
} from '@assay/contract'
import { pathRefusal, type SuiteFiles } from './suite-files.ts'
import {
  check,
  type Document,
  takeNotes,
  type Notes,
  isRecord,
  quote,
  type Path,
} from '../../documents/index.ts'
import { checkCode, checkLanguageKeys, codeEntries } from './code-grading.ts'
import { turnFault } from './turn-fault.ts'
import { bareCase, checkIds, finish, sealCase, type LoadedSuite } from './finish.ts'
import {
  checkVerdict,
  checkWeights,
  readGraders,
  scoringOf,
  weightNames,
  type GraderEntry,
  type GraderReading,
} from './grading.ts'
import { languageName } from '../language.ts'
import {
  caseFrameSchema,
  suiteFrameSchema,
  type CaseFrame,
  type SuiteFrame,
  type TextSource,
  type WorkspaceGiven,
} from './schema.ts'
import { limitsOf, planWorkspace } from './workspace.ts'

export interface Reading extends GraderReading {
  readonly beside: SuiteFiles
}

/** Reads a suite. `fallbackId` is the id of a suite without one. */
export async function readNative(
  document: Document,
  reading: Reading,
  fallbackId: string,
): Promise<LoadedSuite> {
  const notes = takeNotes(document)
  const frame = check(suiteFrameSchema, document.value, notes)
  const raw = isRecord(document.value) ? document.value : {}
  const shared = await readGraders(listOf(raw['graders']), ['graders'], reading, notes)
  const items = listOf(raw['cases'])
  checkIds(
    items.map((item, index) => [index, isRecord(item) ? item['id'] : undefined] as const),
    (index) => ['cases', index, 'id'],
    notes,
  )

  const cases: Case[] = []
  const places = new Map<string, number>()
  const names = weightNames(shared)
  for (const [index, item] of items.entries()) {
    const path = ['cases', index]
    const own = isRecord(item) ? item['graders'] : undefined
    const entries = Array.isArray(own)
      ? await readGraders(own, [...path, 'graders'], reading, notes)
      : shared
    for (const name of weightNames(entries)) names.add(name)
    const given = check(caseFrameSchema, item, notes, { path })
    if (isRecord(item)) checkAsked(item, path, notes)
    if (given === undefined) continue
    cases.push(await readCase({ given, frame, entries, path, notes, reading }))
    places.set(given.id, index)
  }
  for (const one of cases) for (const { name, type } of one.graders) names.add(name).add(type)
  checkWeights(frame?.scoring, names, [], notes)

  const id = frame?.id ?? fallbackId
  return finish(
    {
      id,
      name: frame?.name ?? id,
      description: frame?.description ?? '',
      path: reading.path,
      format: 'assay',
      threshold: frame?.scoring?.threshold ?? null,
      ...sharedBy(frame?.defaults),
      cases,
      locateTests: (caseId) => document.locate(['cases', places.get(caseId) ?? 0, 'tests'], 'key'),
    },
    notes,
  )
}

/** Returns the defaults of all cases, for settings that a run may set too. */
function sharedBy(defaults: SuiteFrame['defaults'] = {}): Pick<Suite, 'defaults'> {
  const { trials, timeout, maxTokens } = defaults
  const timeoutMs = timeout === undefined ? null : parseDuration(timeout)
  if (trials === undefined && timeoutMs === null && maxTokens === undefined) return {}
  return {
    defaults: {
      ...(trials === undefined ? {} : { trials }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  }
}

interface CaseReading {
  readonly given: CaseFrame
  readonly frame: SuiteFrame | undefined
  readonly entries: readonly GraderEntry[]
  readonly path: Path
  readonly notes: Notes
  readonly reading: Reading
}

async function readCase(at: CaseReading): Promise<Case> {
  const { given, frame, path, notes } = at
  const defaults = frame?.defaults ?? {}
  const language = given.language ?? defaults.language
  const coded = {
    language: language === undefined ? null : languageName(language),
    tests: await readOptional(at, 'tests'),
    calls: (given.calls ?? []) as readonly Call[],
    entryPoint: given.entryPoint ?? null,
    module: given.module ?? null,
    expectations: expectationsOf(given),
  }
  // An empty list means that the author wants no grading.
  const entries = given.graders?.length === 0 ? [] : codeEntries(at.entries, coded)
  checkCode(entries, coded, path, notes)
  checkLanguageKeys(given, coded.language, path, notes)
  const settled = scoringOf(entries, frame?.scoring, given.scoring)
  checkVerdict(entries, settled, path, notes)
  checkWeights(given.scoring, weightNames(entries), path, notes)
  const workspace = await readWorkspace(at)
  const turns = await readTurns(at)
  checkForCase(entries, at, ({ type, options }) => {
    const grader = at.reading.graders.find((one) => one.type === type)
    return workspace === null ? null : (grader?.workspaceFault?.(options) ?? null)
  })
  checkForCase(entries, at, (config) => turnFault(config, turns.length))
  const timeout = given.timeout ?? defaults.timeout
  return sealCase({
    ...bareCase(given.id, turns),
    name: given.name ?? given.id,
    description: given.description ?? '',
    ...coded,
    continuation: given.continuation ?? false,
    stop: given.stop ?? [],
    reference: await readOptional(at, 'reference'),
    faulty: await readTexts(at, given.faulty ?? [], 'faulty'),
    files: await readFiles(at, at.given.files ?? {}, [...path, 'files']),
    tags: given.tags ?? [],
    graders: settled.graders,
    threshold: settled.threshold,
    trials: given.trials ?? defaults.trials ?? null,
    timeoutMs: timeout === undefined ? null : parseDuration(timeout),
    maxTokens: given.maxTokens ?? defaults.maxTokens ?? null,
    dependencies: (given.dependencies ?? defaults.dependencies ?? []).map((dependency) => ({
      name: dependency.name,
      version: dependency.version ?? null,
      features: dependency.features ?? [],
    })),
    lint: given.lint === 'off' ? 'off' : null,
    format: given.format ?? defaults.format ?? null,
    edition: given.edition ?? defaults.edition ?? null,
    allowUnsafe: given.allowUnsafe ?? false,
    workspace,
    limits: limitsOf({ ...defaults.limits, ...given.limits }),
  })
}

/** Checks that a case has exactly one of `prompt` and `turns`. The schema cannot express this. */
function checkAsked(item: Readonly<Record<string, unknown>>, path: Path, notes: Notes): void {
  const prompt = Object.hasOwn(item, 'prompt')
  if (prompt !== Object.hasOwn(item, 'turns')) return
  notes.problem(prompt ? [...path, 'turns'] : path, {
    at: prompt ? 'key' : 'value',
    found: prompt ? 'prompt and turns' : 'neither prompt nor turns',
    expected: prompt ? 'either prompt or turns' : 'a prompt',
  })
}

async function readTurns(at: CaseReading): Promise<string[]> {
  const { given, path } = at
  if (given.turns !== undefined) return await readTexts(at, given.turns, 'turns', true)
  if (given.prompt === undefined) return []
  return [await readText(at, given.prompt, [...path, 'prompt'], true)]
}

async function readTexts(
  at: CaseReading,
  sources: readonly TextSource[],
  key: string,
  asked = false,
): Promise<string[]> {
  const texts: string[] = []
  for (const [index, source] of sources.entries())
    texts.push(await readText(at, source, [...at.path, key, index], asked))
  return texts
}

async function readOptional(at: CaseReading, key: 'tests' | 'reference'): Promise<string | null> {
  const source = at.given[key]
  return source === undefined ? null : await readText(at, source, [...at.path, key])
}

/** Returns the text itself, or that of the named file, with its line endings normalized as in documents. */
async function readText(
  at: CaseReading,
  source: TextSource,
  path: Path,
  asked = false,
): Promise<string> {
  if (typeof source === 'string') return source
  const text = (await readFile(at, source.file, path)).replaceAll('\r\n', '\n')
  if (asked && text.trim() === '')
    at.notes.problem(path, { found: 'a blank file', expected: 'a prompt that is not blank' })
  return text
}

async function readFile(at: CaseReading, file: string, path: Path): Promise<string> {
  const read = await at.reading.beside.text(file)
  if ('text' in read) return read.text
  at.notes.problem([...path, 'file'], {
    found: `${quote(file)} (${read.refusal.found})`,
    expected: read.refusal.expected,
  })
  // Return text that is not blank, to avoid a second problem about the same field.
  return '-'
}

async function readFiles(
  at: CaseReading,
  sources: Readonly<Record<string, TextSource>>,
  root: Path,
): Promise<Record<string, string>> {
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
    files[name] = typeof source === 'string' ? source : await readFile(at, source.file, path)
  }
  return files
}

/** Returns the workspace of a case. The case's settings override the shared ones one by one. */
async function readWorkspace(at: CaseReading): Promise<WorkspacePlan | null> {
  const shared = at.frame?.defaults?.workspace
  const own = at.given.workspace
  if (shared === undefined && own === undefined) return null
  const given = { ...shared, ...own }
  const pathOf = (key: keyof WorkspaceGiven): Path => [
    ...(own?.[key] === undefined ? ['defaults'] : at.path),
    'workspace',
    key,
  ]
  const hidden = await readFiles(at, given.hidden ?? {}, pathOf('hidden'))
  return planWorkspace(given, hidden, at.reading.path, {
    problem: (key, finding) => at.notes.problem(pathOf(key), finding),
  })
}

/**
 * Notes graders that cannot work in this case, for example because it has a workspace or lacks the turn that they
 * grade. `faultOf` returns what is wrong with a grader.
 */
function checkForCase(
  entries: readonly GraderEntry[],
  { given, path, notes }: CaseReading,
  faultOf: (config: GraderEntry['config']) => OptionFault | null,
): void {
  for (const [index, { config }] of entries.entries()) {
    const fault = faultOf(config)
    if (fault === null) continue
    const own = Array.isArray(given.graders)
    notes.problem(own ? [...path, 'graders', index, ...fault.path] : path, {
      ...fault,
      found: fault.found ?? `the grader ${config.name}`,
      ...(own ? {} : { at: 'value' as const }),
    })
  }
}

function expectationsOf(given: CaseFrame): Expectations | null {
  const expectations = given.expectations
  if (expectations === undefined) return null
  return {
    shouldCompile: expectations.shouldCompile ?? true,
    shouldPassTests: expectations.shouldPassTests ?? true,
    maxWarnings: expectations.maxWarnings ?? null,
    functions: expectations.functions ?? [],
    types: expectations.types ?? [],
    customCheck: expectations.customCheck ?? null,
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
