/**
 * Reads Assay's own suite format: turns a document into a suite. Cases and graders are checked one by one, so that
 * one bad case does not hide the problems of the next. Then defaults are applied and the files that the cases name
 * are read. Afterwards each case is complete.
 */
import {
  eachGrader,
  parseDuration,
  type Call,
  type Case,
  type Expectations,
  type Json,
  type Mutable,
  type OptionFault,
  type Prompt,
  type Suite,
  type TestsLocation,
  type WorkspacePlan,
} from '@assay/contract'
import type { SuiteFiles } from './suite-files.ts'
import {
  check,
  type Document,
  takeNotes,
  type Notes,
  isRecord,
  type Path,
  valueAt,
  type Warning,
} from '../../documents/index.ts'
import {
  filesOf,
  readFiles,
  readOptional,
  readTexts,
  readTurns,
  type FilesRead,
  type TextReading,
} from './case-texts.ts'
import { checkCode, checkLanguageKeys, codeEntries } from './code-grading.ts'
import { turnFault } from './turn-fault.ts'
import type { CaseContent } from './case-content.ts'
import { checkIds, finish, sealCase, type LoadedSuite } from './finish.ts'
import {
  checkVerdict,
  checkWeights,
  readGraders,
  sharedScoring,
  addWeightNames,
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
  type WorkspaceGiven,
} from './schema.ts'
import { hashOf } from '@assay/contract/hash'
import { openRowCases } from '../data/row-cases.ts'
import type { RowCase } from '../data/rows.ts'
import { readPrompts } from '../prompts/read-prompts.ts'
import { suitePrompts, type SuitePrompts } from '../prompts/suite-prompts.ts'
import { RowGraders } from './row-graders.ts'
import { limitsOf, planWorkspace } from './workspace.ts'

export interface Reading extends GraderReading {
  readonly beside: SuiteFiles
  /** Prompts of an experiment. They replace those of the suite. */
  readonly prompts?: readonly Prompt[]
}

/** Reads a suite. `fallbackId` is used as the id if the suite has none. */
export async function readNative(
  document: Document,
  reading: Reading,
  fallbackId: string,
): Promise<LoadedSuite> {
  const notes = takeNotes(document)
  const frame = check(suiteFrameSchema, document.value, notes)
  const raw = isRecord(document.value) ? document.value : {}
  const shared = await readGraders(listOf(raw['graders']), ['graders'], reading, notes)
  const prompts = await promptsOf(frame, reading, notes)
  // If the suite's prompts cannot be read, that problem is already noted. It is then unknown whether a case needs
  // its own prompt.
  const areUnread = prompts === null && frame?.prompts !== undefined
  const items = listOf(raw['cases'])
  checkIds(
    items.map((item, index) => [index, isRecord(item) ? item['id'] : undefined] as const),
    (index) => ['cases', index, 'id'],
    notes,
  )

  const cases: Case[] = []
  const places = new Map<string, number>()
  const names = weightNames(shared)
  const scoring = sharedScoring(frame?.scoring)
  for (const [index, item] of items.entries()) {
    const path = ['cases', index]
    const own = isRecord(item) ? item['graders'] : undefined
    const read = Array.isArray(own)
      ? readGraders(own, [...path, 'graders'], reading, notes)
      : shared
    // Most cases name no file and no program. They are read without a promise, because awaiting each one would be
    // slow.
    const entries = read instanceof Promise ? await read : read
    addWeightNames(names, entries)
    const given = check(caseFrameSchema, item, notes, { path })
    if (isRecord(item) && !areUnread) checkAsked(item, prompts, path, notes)
    if (given === undefined) continue
    const one = readCase({ given, frame, entries, path, notes, reading, prompts, scoring })
    cases.push(one instanceof Promise ? await one : one)
    places.set(given.id, index)
  }
  if (isRecord(document.value)) checkHasCases(raw, notes)
  const rowWarnings =
    frame?.data === undefined
      ? []
      : await readRowCases(
          frame,
          raw,
          shared,
          { ...reading, compiled: prompts },
          notes,
          (one, entries) => {
            cases.push(one)
            addWeightNames(names, entries)
          },
        )
  for (const one of cases) for (const { name, type } of one.graders) names.add(name).add(type)
  checkWeights(frame?.scoring, names, [], notes)

  const id = frame?.id ?? fallbackId
  // This function keeps the whole document in memory. So only a suite with tests gets it.
  const locateTests = (caseId: string): TestsLocation | null => {
    const index = places.get(caseId)
    const path = [...(index === undefined ? ['template'] : ['cases', index]), 'tests']
    const location = document.locate(path, 'key')
    const file = valueAt(document.value, [...path, 'file'])
    return location === null || typeof file !== 'string' ? location : { ...location, file }
  }
  const loaded = finish(
    {
      id,
      name: frame?.name ?? id,
      description: frame?.description ?? '',
      path: reading.path,
      format: 'assay',
      threshold: frame?.scoring?.threshold ?? null,
      ...sharedBy(frame?.defaults),
      ...(prompts === null ? {} : { prompts: prompts.given }),
      cases,
      ...(cases.some(({ tests }) => tests !== null) ? { locateTests } : {}),
    },
    notes,
  )
  return rowWarnings.length === 0
    ? loaded
    : { ...loaded, warnings: [...loaded.warnings, ...rowWarnings] }
}

function checkHasCases(raw: Readonly<Record<string, unknown>>, notes: Notes): void {
  if (Object.hasOwn(raw, 'cases') || Object.hasOwn(raw, 'data')) return
  notes.problem([], {
    found: 'nothing',
    expected: 'the key cases (a list)',
    message: 'the key cases is missing, expected a list (or data, whose rows are cases)',
  })
}

/** Reads the cases that come from the rows of data files. */
async function readRowCases(
  frame: SuiteFrame,
  raw: Readonly<Record<string, unknown>>,
  shared: readonly GraderEntry[],
  { compiled: prompts, ...reading }: Reading & { readonly compiled: SuitePrompts | null },
  notes: Notes,
  add: (one: Case, entries: readonly GraderEntry[]) => void,
): Promise<readonly Warning[]> {
  const rows = await openRowCases(frame, reading.beside, notes)
  const template = isRecord(raw['template']) ? raw['template'] : {}
  const own = template['graders']
  const path = ['template']
  const fixed =
    own === undefined || rows?.hasFixedGraders !== true
      ? shared
      : await readGraders(listOf(own), [...path, 'graders'], reading, notes)
  if (rows === null || notes.failed) return []
  const scoring = sharedScoring(frame.scoring)
  const readRow = (one: RowCase, entries: readonly GraderEntry[]): void | Promise<void> => {
    const given = check(caseFrameSchema, one.item, one.notes, { path })
    checkAsked(one.item, prompts, path, one.notes)
    if (given === undefined) return
    const { notes: ofRow } = one
    const at = { given, frame, entries, path, notes: ofRow, reading, prompts, scoring, row: one }
    const read = readCase(at)
    if (read instanceof Promise) return read.then((complete) => add(complete, entries))
    add(read, entries)
  }
  const known = new RowGraders(reading)
  return await rows.each((one) => {
    if (rows.hasFixedGraders) return readRow(one, fixed)
    const entries = known.read(one)
    return entries instanceof Promise
      ? entries.then((read) => readRow(one, read))
      : readRow(one, entries)
  })
}

/** Returns the defaults that all cases share, for settings that a run can also set. */
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

interface CaseReading extends TextReading {
  readonly frame: SuiteFrame | undefined
  readonly entries: readonly GraderEntry[]
  readonly reading: Reading
  readonly prompts: SuitePrompts | null
  readonly scoring: ReturnType<typeof sharedScoring>
  /** The row that the case comes from. Absent if the suite contains the case itself. */
  readonly row?: RowCase
}

/** Reads a case. Returns a promise only if files have to be read. */
function readCase(unread: Omit<CaseReading, 'read'>): Case | Promise<Case> {
  const found = filesOf(unread.given, unread.frame, unread.reading.beside)
  if (found instanceof Promise || hasWorkspace(unread)) return readCaseFiles(unread, found)
  const at = { ...unread, read: found }
  return buildCase(at, readGrading(at), null)
}

async function readCaseFiles(
  unread: Omit<CaseReading, 'read'>,
  found: FilesRead | Promise<FilesRead>,
): Promise<Case> {
  const at = { ...unread, read: await found }
  const grading = readGrading(at)
  return buildCase(at, grading, hasWorkspace(at) ? await readWorkspace(at) : null)
}

/** Reads the fields of a case that decide how it is graded. */
function readGrading(at: CaseReading) {
  const { given, frame, path, notes } = at
  const language = given.language ?? frame?.defaults?.language
  const coded = {
    language: language === undefined ? null : languageName(language),
    tests: readOptional(at, 'tests'),
    calls: (given.calls ?? NONE) as readonly Call[],
    entryPoint: given.entryPoint ?? null,
    module: given.module ?? null,
    expectations: expectationsOf(given),
  }
  // An empty list of graders says that the case is not graded. So no code grader is added.
  const entries = given.graders?.length === 0 ? [] : codeEntries(at.entries, coded)
  checkCode(entries, coded, path, notes)
  checkLanguageKeys(given, coded.language, path, notes)
  const settled = at.scoring(entries, given.scoring)
  checkVerdict(entries, settled, path, notes)
  if (given.scoring !== undefined) checkWeights(given.scoring, weightNames(entries), path, notes)
  return { coded, entries, settled }
}

/**
 * Empty values that most cases need. A suite can have a hundred thousand cases, so they share one object to save
 * memory.
 */
const NONE: readonly never[] = Object.freeze([])
const NO_FILES: Case['files'] = Object.freeze({})

function buildCase(
  at: CaseReading,
  { coded, entries, settled }: ReturnType<typeof readGrading>,
  workspace: WorkspacePlan | null,
): Case {
  const { given, frame, path, notes } = at
  const defaults = frame?.defaults ?? {}
  const turns = readTurns(at)
  checkForCase(entries, at, ({ type, options }) => {
    const grader = at.reading.graders.find((one) => one.type === type)
    if (workspace !== null) return grader?.workspaceFault?.(options) ?? null
    return grader?.needsWorkspace === true ? NO_WORKSPACE : null
  })
  checkForCase(entries, at, (config) => turnFault(config, Math.max(1, turns.length)))
  const timeout = given.timeout ?? defaults.timeout
  const system = readOptional(at, 'system')
  // The object is built without spreads, because they are slow and a suite can have many thousand cases.
  const content: Mutable<CaseContent> = {
    id: given.id,
    name: given.name ?? given.id,
    description: given.description ?? '',
    turns,
    language: coded.language,
    tests: coded.tests,
    calls: coded.calls,
    entryPoint: coded.entryPoint,
    module: coded.module,
    continuation: given.continuation ?? false,
    stop: given.stop ?? NONE,
    expectations: coded.expectations,
    reference: readOptional(at, 'reference'),
    faulty: given.faulty === undefined ? NONE : readTexts(at, given.faulty, 'faulty'),
    files: given.files === undefined ? NO_FILES : readFiles(at, given.files, [...path, 'files']),
    tags: given.tags ?? NONE,
    graders: settled.graders,
    threshold: settled.threshold,
    trials: given.trials ?? defaults.trials ?? null,
    timeoutMs: timeout === undefined ? null : parseDuration(timeout),
    maxTokens: given.maxTokens ?? defaults.maxTokens ?? null,
    dependencies:
      (given.dependencies ?? defaults.dependencies)?.map((dependency) => ({
        name: dependency.name,
        version: dependency.version ?? null,
        features: dependency.features ?? [],
      })) ?? NONE,
    lint: given.lint === 'off' ? 'off' : null,
    format: given.format ?? defaults.format ?? null,
    edition: given.edition ?? defaults.edition ?? null,
    includeIgnored: given.includeIgnored ?? defaults.includeIgnored ?? false,
    allowUnsafe: given.allowUnsafe ?? false,
    workspace,
    limits: limitsOf({ ...defaults.limits, ...given.limits }),
  }
  if (system !== null) content.system = system
  Object.assign(content, varsOf(at))
  if (given.input !== undefined) content.input = given.input
  if (given.expected !== undefined) content.expected = given.expected
  if (given.group !== undefined) content.group = given.group
  if (given.metadata !== undefined) content.metadata = given.metadata
  const one = sealCase(content)
  at.prompts?.check(one, path, notes, given.vars === undefined ? at.row : undefined)
  return one
}

/** Returns the variables of a case: its own `vars`, or those columns of its row that the prompts use. */
function varsOf({ given, row, prompts }: CaseReading): Pick<Case, 'vars' | 'row'> {
  if (given.vars !== undefined) return { vars: given.vars }
  if (row === undefined || prompts === null) return {}
  const columns = row.row
  const used = prompts.variables.filter((name) => Object.hasOwn(columns, name))
  return {
    vars: Object.fromEntries(used.map((name) => [name, columns[name] as Json])),
    row: hashOf(columns),
  }
}

/** Reads the prompts of the suite. Prompts of an experiment replace them. Null if there are none. */
async function promptsOf(
  frame: SuiteFrame | undefined,
  { prompts: given, beside, path }: Reading,
  notes: Notes,
): Promise<SuitePrompts | null> {
  const prompts =
    given ??
    (frame?.prompts === undefined
      ? []
      : await readPrompts(frame.prompts, { beside, file: path, notes }))
  return prompts.length === 0 ? null : await suitePrompts(prompts, notes)
}

/**
 * Checks that a case has exactly one of `prompt` and `turns`, which the schema cannot express. A case needs neither
 * if every prompt of the suite has its own user message.
 */
function checkAsked(
  item: Readonly<Record<string, unknown>>,
  prompts: SuitePrompts | null,
  path: Path,
  notes: Notes,
): void {
  const prompt = Object.hasOwn(item, 'prompt')
  if (prompt !== Object.hasOwn(item, 'turns')) return
  if (!prompt && Object.hasOwn(item, 'input')) return
  if (!prompt && prompts?.ask === true) return
  notes.problem(prompt ? [...path, 'turns'] : path, {
    at: prompt ? 'key' : 'value',
    found: prompt ? 'prompt and turns' : 'neither prompt nor turns',
    expected: prompt ? 'either prompt or turns' : 'a prompt',
  })
}

const hasWorkspace = ({ given, frame }: Pick<CaseReading, 'given' | 'frame'>): boolean =>
  (given.workspace ?? frame?.defaults?.workspace) !== undefined

/** Returns the workspace of a case. Each setting of the case overrides the shared setting of the same name. */
async function readWorkspace(at: CaseReading): Promise<WorkspacePlan> {
  const shared = at.frame?.defaults?.workspace
  const own = at.given.workspace
  const given = { ...shared, ...own }
  const pathOf = (key: keyof WorkspaceGiven): Path => [
    ...(own?.[key] === undefined ? ['defaults'] : at.path),
    'workspace',
    key,
  ]
  const hidden = readFiles(at, given.hidden ?? {}, pathOf('hidden'))
  return planWorkspace(given, hidden, at.reading.path, {
    problem: (key, finding) => at.notes.problem(pathOf(key), finding),
    warn: (key, text) => at.notes.warn(text, pathOf(key)),
  })
}

const NO_WORKSPACE: OptionFault = {
  path: ['type'],
  expected: 'a case with a workspace, because this grader runs tests in it',
}

/**
 * Notes a problem for each grader that cannot work in this case. For example, the grader needs a workspace, and the case
 * has none. `faultOf` returns the problem of a grader, or null.
 */
function checkForCase(
  entries: readonly GraderEntry[],
  { given, path, notes }: CaseReading,
  faultOf: (config: GraderEntry['config']) => OptionFault | null,
): void {
  for (const [index, { config }] of entries.entries())
    for (const one of eachGrader([{ ...config, weight: 1 }])) {
      const fault = faultOf(one)
      if (fault === null) continue
      const own = Array.isArray(given.graders)
      // A grader inside `any` or `all` has no location of its own here, so the message names that of the outer grader.
      const inner = one.name === config.name ? fault.path : []
      notes.problem(own ? [...path, 'graders', index, ...inner] : path, {
        ...fault,
        found: fault.found ?? `the grader ${one.name}`,
        ...(own && inner.length > 0 ? {} : { at: 'value' as const }),
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
