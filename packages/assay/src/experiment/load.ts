/**
 * Loads an experiment from a file. Returns null if the file is not an experiment. Paths in the experiment are relative
 * to its file. All problems are reported at once, with their locations.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Prompt } from '@assay/contract'
import type { ExperimentRecord } from '../log/index.ts'
import { nearest } from '../text/index.ts'
import { readPrompts, recognise, SuiteFiles } from '../suite/index.ts'
import {
  exportedData,
  isModulePath,
  readModule,
  check,
  readDocument,
  readText,
  takeNotes,
  type Document,
  type Notes,
} from '../documents/index.ts'
import { readMatrix, type Matrix } from './matrix.ts'
import { experimentSchema, isExperiment, mayBeExperiment, type ExperimentFile } from './schema.ts'
import { refuseVally } from './vally.ts'
import { subjectSchema, type DescribedSubject } from './subject-schema.ts'

/** The settings of the run, in the same form as in assay.toml. */
export type RunSettings = Pick<
  ExperimentFile,
  | 'trials'
  | 'passK'
  | 'judges'
  | 'seed'
  | 'budget'
  | 'parallelism'
  | 'timeout'
  | 'gradeTimeout'
  | 'maxErrors'
  | 'maxWait'
  | 'prices'
>

export interface Experiment {
  /** The path of the file as the user typed it. */
  readonly file: string
  /**
   * Whether the experiment is a program (`.ts`, `.js`). A program runs with the user's rights, so its suites may be
   * programs too.
   */
  readonly isProgram: boolean
  readonly name: string | null
  /** The paths of the suites, relative to the working directory. */
  readonly suites: readonly string[]
  /** The subjects in the order of the file. Each is a name in `described`, or a subject as in `--model`. */
  readonly subjects: readonly string[]
  readonly described: Readonly<Record<string, DescribedSubject>>
  readonly tiers: readonly TierList[]
  /** Prompts that replace those of the suites. Null if the experiment has none. */
  readonly prompts: readonly Prompt[] | null
  /**
   * Set if the prompts are the tiers. `baseline` is the prompt with which the others are compared. Null means the first
   * prompt.
   */
  readonly tiersByPrompt?: { readonly baseline: string | null }
  readonly vary: readonly string[]
  readonly settings: RunSettings
  readonly scoring: Pick<ExperimentRecord, 'composite' | 'grades' | 'impl'>
}

interface TierList {
  readonly order: readonly string[]
  readonly baseline: string
}

/** Returns the experiment, or null if the file is not one. Throws a `SuiteError` with all problems in the file. */
export async function loadExperiment(file: string): Promise<Experiment | null> {
  const document = isModulePath(file) ? await moduleDocument(file) : await textDocument(file)
  if (document !== null) refuseVally(file, document.value)
  if (document === null || !isExperiment(document.value)) return null
  const notes = takeNotes(document, { hide: (at) => at.includes('env') })
  const given = check(experimentSchema, document.value, notes)
  // If there are problems, `done` throws here, because the code below needs valid fields.
  notes.done()
  const experiment = await resolve(given as ExperimentFile, file, notes)
  notes.done()
  return experiment
}

async function textDocument(file: string): Promise<Document | null> {
  const { syntax, head } = await recognise(file)
  if (syntax === 'rows' || !mayBeExperiment(head.text)) return null
  return readDocument(file, await readText(file), syntax)
}

/**
 * Returns the experiment that a module exports, or null. The module is first inspected without calling any function. A
 * module that exports a function is a suite, and its function is called only when the file is loaded as a suite.
 */
async function moduleDocument(file: string): Promise<Document | null> {
  return isExperiment(await exportedData(file)) ? await readModule(file, { allowed: true }) : null
}

async function resolve(given: ExperimentFile, file: string, notes: Notes): Promise<Experiment> {
  const folder = path.dirname(file)
  const { subjects, described, matrix } = subjectsOf(given, notes)
  const byPrompt = given.tiers === 'prompt' && matrix?.axes.includes('prompt') !== true
  return {
    file,
    isProgram: isModulePath(file),
    name: given.name ?? null,
    suites: given.suites.map((suite) => path.join(folder, suite)),
    subjects,
    described: Object.fromEntries(
      Object.entries(described).map(([name, one]) => [name, fromHere(one, folder)]),
    ),
    tiers: byPrompt ? [] : tiersOf(given, subjects, matrix, notes),
    ...(byPrompt ? { tiersByPrompt: { baseline: given.baseline ?? null } } : {}),
    prompts:
      given.prompts === undefined
        ? null
        : await readPrompts(given.prompts, { beside: new SuiteFiles(file), file, notes }),
    vary: given.vary ?? matrix?.keys ?? [],
    settings: settingsOf(given, folder),
    scoring: { composite: given.composite, grades: gradesOf(given), impl: given.impl },
  }
}

function settingsOf(given: ExperimentFile, folder: string): RunSettings {
  const { trials, passK, judges, seed, budget, parallelism, timeout, gradeTimeout } = given
  const prices = given.prices === undefined ? undefined : path.join(folder, given.prices)
  const { maxErrors, maxWait } = given
  const some = { trials, passK, judges, seed, budget, parallelism, timeout, gradeTimeout }
  return Object.fromEntries(
    Object.entries({ ...some, maxErrors, maxWait, prices }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}

/**
 * Returns the letter grades that the file sets, or else the scale of the metrics-formulas specification. Every score
 * below the other grades gets the lowest grade.
 */
function gradesOf({ grades }: ExperimentFile): Experiment['scoring']['grades'] {
  const given = grades ?? { A: 0.95, B: 0.85, C: 0.75, D: 0.65, F: 0 }
  const steps = Object.entries(given)
    .map(([grade, least]) => ({ grade, least }))
    .sort((a, b) => b.least - a.least)
  return { steps: steps.slice(0, -1), below: steps.at(-1)?.grade ?? '' }
}

/**
 * Makes the paths of a subject relative to the working directory. A run to replay can also be given by name. So if no
 * file exists at that path, it is a name and stays unchanged.
 */
function fromHere(subject: DescribedSubject, folder: string): DescribedSubject {
  const { cwd, replay } = subject
  return {
    ...subject,
    ...(cwd === undefined ? {} : { cwd: path.join(folder, cwd) }),
    ...(replay === undefined || !isThere(path.join(folder, replay))
      ? {}
      : { replay: path.join(folder, replay) }),
  }
}

/** Whether the run to replay exists. The argument is PATH or PATH#SUBJECT. */
const isThere = (replay: string): boolean =>
  existsSync(replay) || existsSync(replay.replace(/#.*$/s, ''))

// ── Subjects and tiers ───────────────────────────────────────────────────────────────────────────────

interface Subjects {
  readonly subjects: readonly string[]
  readonly described: Readonly<Record<string, DescribedSubject>>
  readonly matrix: Matrix | null
}

function subjectsOf({ subjects, matrix, base }: ExperimentFile, notes: Notes): Subjects {
  const none: Subjects = { subjects: [], described: {}, matrix: null }
  if ((subjects === undefined) === (matrix === undefined)) {
    notes.problem(matrix === undefined ? [] : ['matrix'], {
      at: 'key',
      found: matrix === undefined ? 'neither subjects nor matrix' : 'subjects and matrix',
      expected: matrix === undefined ? 'subjects, or a matrix of axes' : 'one of them',
    })
    return none
  }
  if (base !== undefined && matrix === undefined)
    notes.problem(['base'], { at: 'key', found: 'base without a matrix', expected: 'a matrix' })
  if (Array.isArray(subjects)) return { ...none, subjects }
  if (subjects !== undefined)
    return { subjects: Object.keys(subjects), described: subjects, matrix: null }
  const read = readMatrix(matrix ?? {}, base ?? {}, notes)
  const described: Record<string, DescribedSubject> = {}
  for (const { name, settings } of read.cells) {
    const subject = subjectSchema.safeParse(settings)
    if (subject.success) described[name] = subject.data
    else
      notes.problem(['matrix'], {
        at: 'key',
        found: `the combination ${name}`,
        expected: subject.error.issues[0]?.message ?? 'a subject',
      })
  }
  return { subjects: read.cells.map(({ name }) => name), described, matrix: read }
}

function tiersOf(
  { tiers, baseline }: ExperimentFile,
  subjects: readonly string[],
  matrix: Matrix | null,
  notes: Notes,
): TierList[] {
  if (typeof tiers === 'string') return tiersByAxis(tiers, baseline, matrix, notes)
  const order = tiers ?? subjects
  for (const [i, name] of order.entries())
    if (!subjects.includes(name)) unknown(['tiers', i], name, subjects, notes)
    else if (order.indexOf(name) < i)
      notes.problem(['tiers', i], { found: 'a tier twice', expected: 'each tier once' })
  if (baseline !== undefined && !order.includes(baseline))
    unknown(['baseline'], baseline, order, notes)
  return [{ order, baseline: baseline ?? order[0] ?? '' }]
}

/**
 * Makes the values of one axis of the matrix the tiers. Each combination of values of the other axes gets its own list
 * of tiers.
 */
function tiersByAxis(
  axis: string,
  baseline: string | undefined,
  matrix: Matrix | null,
  notes: Notes,
): TierList[] {
  const at = matrix?.axes.indexOf(axis) ?? -1
  if (matrix === null || at === -1) {
    unknown(['tiers'], axis, matrix?.axes ?? [], notes)
    return []
  }
  const groups = Map.groupBy(matrix.cells, ({ labels }) => JSON.stringify(labels.toSpliced(at, 1)))
  const isBaseline = (labels: readonly string[]): boolean =>
    baseline === undefined || labels[at] === baseline || labels[at] === `${axis}=${baseline}`
  if (!matrix.cells.some(({ labels }) => isBaseline(labels)))
    unknown(
      ['baseline'],
      baseline ?? '',
      [...new Set(matrix.cells.map(({ labels }) => labels[at] ?? ''))],
      notes,
    )
  return [...groups.values()].map((cells) => ({
    order: cells.map(({ name }) => name),
    baseline: cells.find(({ labels }) => isBaseline(labels))?.name ?? '',
  }))
}

function unknown(
  at: readonly (string | number)[],
  name: string,
  known: readonly string[],
  notes: Notes,
): void {
  notes.problem(at, {
    expected:
      known.length === 0 ? 'a matrix with this axis' : `one of ${known.slice(0, 20).join(', ')}`,
    nearest: nearest(name, [...known]),
  })
}
