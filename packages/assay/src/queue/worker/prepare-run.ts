/**
 * Prepares a run on a worker. It gets the run's suites, creates its subjects with the worker's own API keys, and sets
 * up the tools that grade code. The result says for each lane (a group of similar trials) whether this worker can serve
 * it, and if not, what is missing.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { prepareCode, startTools } from '@assay/code'
import { type Case, type Subject, type Suite, UsageError } from '@assay/contract'
import {
  needsWorkspaces,
  refuseIdleTests,
  setUpCode,
  setUpGraders,
  type CodeSetup,
  type TrialCell,
} from '../../run/index.ts'
import { openWorkspaceStore, type WorkspaceStore } from '../../workspace/index.ts'
import { unpackStarts } from '../folder-items.ts'
import { getItem, type ItemsOptions } from '../items.ts'
import { laneOf } from '../lanes.ts'
import { WANTED_VERSION, type Fit, type Head, type Lane } from '../messages.ts'
import { differenceText, LEFT_OUT_WORDS, pathInProject, projectHash } from '../project.ts'
import { withFunctions } from './worker-functions.ts'
import { workerSubjects } from './worker-subjects.ts'
import { trustOf, type WorkerTrust } from './worker-trust.ts'

export interface PreparedRun {
  readonly suites: readonly Suite[]
  readonly subjects: ReadonlyMap<string, Subject>
  readonly judges: readonly Subject[]
  readonly code: CodeSetup | null
  readonly workspaces: WorkspaceStore | null
  readonly fit: Pick<Fit, 'lanes' | 'setup'>
  /**
   * Whether preparing the run failed for a temporary reason, such as an item that Redis has lost. It is then tried
   * again.
   */
  readonly isTemporary: boolean
  close(): Promise<void>
}

export interface PrepareOptions {
  readonly head: Head
  readonly items: ItemsOptions
  readonly trust: WorkerTrust
  /** The folder of the project on this worker. */
  readonly project: string
  readonly signal: AbortSignal
}

type Reasons = Map<string, string | null>

export async function prepareRun(options: PrepareOptions): Promise<PreparedRun> {
  const { head, items, signal, project } = options
  const reasons: Reasons = new Map(head.lanes.map(({ id }) => [id, null]))
  const refuse = (why: string, isMeant: (lane: Lane) => boolean = () => true): void => {
    for (const lane of head.lanes)
      if (isMeant(lane) && reasons.get(lane.id) === null) reasons.set(lane.id, why)
  }
  const isServed = ({ id }: Lane): boolean => reasons.get(id) === null
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).toReversed()) await one().catch(() => {})
  }
  const result = (
    parts: Partial<Omit<PreparedRun, 'fit' | 'close'>> & { readonly setup?: Fit['setup'] },
  ): PreparedRun => ({
    suites: [],
    subjects: new Map(),
    judges: [],
    code: null,
    workspaces: null,
    isTemporary: false,
    ...parts,
    fit: { lanes: Object.fromEntries(reasons), setup: parts.setup ?? null },
    close,
  })
  if (head.version !== WANTED_VERSION) {
    refuse(`it has Assay ${WANTED_VERSION}, and the run needs ${head.version}`)
    return result({})
  }
  const folder = await mkdtemp(join(tmpdir(), 'assay-worker-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  try {
    await compareProject(options, refuse)
    let suites = await readSuites(head, items, { folder, project })
    let { offlineSetup } = head
    for (const lane of head.lanes.filter(isServed)) {
      const trust = await trustOf(lane, head, suites, options)
      if (trust.refusal !== null) refuse(trust.refusal, ({ id }) => id === lane.id)
      offlineSetup ||= trust.offlineSetup
    }
    suites = await withFunctions(suites, head, { isServed, refuse, closers })
    const { subjects, judges } = await workerSubjects({
      ...{ head, items, project, folder, suites, isServed, refuse },
    })
    closers.push(async () => {
      for (const one of [...subjects.values(), ...judges]) await one.close()
    })
    const laneOfTrial = laneFinder(head, judges)
    const casesOf = (lane: Lane): Suite[] => {
      const subject = subjects.get(lane.subject)
      return suites
        .filter(({ id }) => id === lane.suite)
        .map((suite) => ({
          ...suite,
          cases: suite.cases.filter(
            (one) =>
              subject !== undefined && laneOfTrial({ suite, case: one, subject }) === lane.id,
          ),
        }))
    }
    for (const lane of head.lanes.filter(isServed)) {
      const lack = lane.language === null ? null : await lacking(casesOf(lane))
      if (lack !== null) refuse(lack, ({ id }) => id === lane.id)
    }
    const usable = head.lanes.filter(isServed)
    const needed = merged(usable.flatMap(casesOf))
    const neededCases = new Map(
      needed.map(({ id, cases }) => [id, new Set(cases.map((one) => one.id))]),
    )
    const isNeeded = (suite: Suite, one: Case): boolean =>
      neededCases.get(suite.id)?.has(one.id) === true
    suites = await unpackStarts(suites, isNeeded, { head, items, folder })
    const usableSuites = merged(usable.flatMap(casesOf))
    const usableSubjects = [...subjects.values()].filter(({ id }) =>
      usable.some(({ subject }) => subject === id),
    )
    const code = await setUp(options, usableSuites, usableSubjects, judges, refuse)
    if (code !== null) closers.push(() => code.sandbox.close())
    let workspaces: WorkspaceStore | null = null
    if (code !== null && needsWorkspaces(usableSuites, usableSubjects, judges)) {
      workspaces = await openWorkspaceStore({
        ...{ sandbox: code.sandbox, offlineSetup, keep: null, signal },
      })
      const opened = workspaces
      closers.push(() => opened.close())
    }
    if (code !== null) startTools(usableSuites, code.sandbox)
    const setup =
      code === null
        ? null
        : {
            sandbox: code.sandbox.name,
            toolchains: { ...code.toolchains },
            programLimits: code.programLimits,
          }
    return result({ suites, subjects, judges, code, workspaces, setup })
  } catch (error) {
    refuse(`it cannot prepare the run: ${(error as Error).message}`)
    await close()
    return result({ isTemporary: true })
  }
}

/** Refuses the trials that need the project if this worker's project has other content. */
async function compareProject(
  { head, project }: PrepareOptions,
  refuse: (why: string, isMeant: (lane: Lane) => boolean) => void,
): Promise<void> {
  if (head.project === null) return
  const found = await projectHash(project).catch((error: unknown) => {
    if (error instanceof UsageError) return error
    throw error
  })
  if (!(found instanceof UsageError) && found.sha256 === head.project.sha256) return
  refuse(
    found instanceof UsageError
      ? found.message
      : `its project ${resolve(project)} has other content than that of the run: ${differenceText(head.project.entries ?? {}, found.entries)}. Start it with --project DIR, with the same files. ${LEFT_OUT_WORDS} do not count`,
    (lane) => lane.project,
  )
}

async function readSuites(
  head: Head,
  items: ItemsOptions,
  { folder, project }: { readonly folder: string; readonly project: string },
): Promise<Suite[]> {
  const suites: Suite[] = []
  for (const { id, item, path } of head.suites) {
    const suite = JSON.parse((await getItem(items, item)).toString('utf8')) as Suite
    if (suite.id !== id) throw new Error(`the suite ${id} is not what the run says`)
    // A suite gets a path on this worker only if it needs files of the project.
    const inProject = path === null ? null : pathInProject(project, path)
    suites.push({
      ...suite,
      path: inProject === null ? join(folder, 'suite.json') : resolve(project, inProject),
    })
  }
  return suites
}

/** Returns a function that finds the lane (the group of trials with the same needs) of a trial. */
function laneFinder(head: Head, judges: readonly Subject[]): (cell: TrialCell) => string {
  const ofProject = new Set(
    [...head.subjects, ...head.judges].flatMap(({ id, project }) => (project ? [id] : [])),
  )
  return (cell) => laneOf(cell, judges, ({ id }) => ofProject.has(id)).id
}

/** Returns which toolchain or package is missing, or null if none is. */
async function lacking(suites: readonly Suite[]): Promise<string | null> {
  try {
    const { lacks } = await prepareCode(suites)
    const [first] = lacks.values()
    return first ?? null
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message
  }
}

async function setUp(
  { head, signal }: PrepareOptions,
  suites: readonly Suite[],
  subjects: readonly Subject[],
  judges: readonly Subject[],
  refuse: (why: string, isMeant: (lane: Lane) => boolean) => void,
): Promise<CodeSetup | null> {
  const needsCode = (lane: Lane): boolean =>
    lane.sandbox || lane.workspace || lane.language !== null
  try {
    await setUpGraders(suites, head.sandboxGraders)
    const code = await setUpCode(suites, subjects, head.sandbox as 'auto', { judges })
    await refuseIdleTests(
      suites,
      {
        gradeTimeoutMs: head.gradeTimeoutMs,
        signal,
        openSandbox: async () => code?.sandbox ?? null,
      },
      () => {},
    )
    return code
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    refuse(error.message, needsCode)
    return null
  }
}

/**
 * Joins the parts of each suite. Each lane (a group of trials with the same needs) may need other cases of a suite, so
 * there may be several parts.
 */
function merged(parts: readonly Suite[]): Suite[] {
  const byId = Map.groupBy(parts, ({ id }) => id)
  return [...byId.values()].map((same) => {
    const [first] = same as [Suite]
    const cases = new Map(same.flatMap((one) => one.cases.map((each) => [each.id, each])))
    return { ...first, cases: [...cases.values()] }
  })
}
