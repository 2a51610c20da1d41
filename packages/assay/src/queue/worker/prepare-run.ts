/**
 * Prepares a run on a worker: gets its suites, makes its subjects with the worker's own keys, and sets up what grades
 * code. The result says for each lane whether this worker can serve it, and if not, what is missing.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareCode, startTools } from '@assay/code'
import { type Case, type Subject, type Suite, UsageError } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { ownVariables } from '../../environment/index.ts'
import {
  needsWorkspaces,
  refuseIdleTests,
  setUpCode,
  setUpGraders,
  type CodeSetup,
} from '../../run/index.ts'
import {
  loadPrices,
  makeSubjects,
  type NamedSubject,
  type SubjectRequest,
} from '../../subject/index.ts'
import { openWorkspaceStore, type WorkspaceStore } from '../../workspace/index.ts'
import { getItem, type ItemsOptions } from '../items.ts'
import { laneOf } from '../lanes.ts'
import { WANTED_VERSION, type Fit, type Head, type Lane } from '../messages.ts'
import { untrustedUses, type WorkerTrust } from './worker-trust.ts'

export interface PreparedRun {
  readonly suites: readonly Suite[]
  readonly subjects: ReadonlyMap<string, Subject>
  readonly judges: readonly Subject[]
  readonly code: CodeSetup | null
  readonly workspaces: WorkspaceStore | null
  readonly fit: Pick<Fit, 'lanes' | 'setup'>
  /** Whether preparing the run failed for a reason that may pass, such as an item that Redis has lost. */
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
  const { head, items, signal } = options
  const reasons: Reasons = new Map(head.lanes.map(({ id }) => [id, null]))
  const refuse = (why: string, isMeant: (lane: Lane) => boolean = () => true): void => {
    for (const lane of head.lanes)
      if (isMeant(lane) && reasons.get(lane.id) === null) reasons.set(lane.id, why)
  }
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
    const suites = await readSuites(head, items, folder)
    const { subjects, judges } = await makeAll(options, folder, refuse)
    closers.push(async () => {
      for (const one of [...subjects.values(), ...judges]) await one.close()
    })
    refuse(
      'it has no copy of the project, which this needs',
      (lane) => lane.project && head.project === null,
    )
    for (const lane of head.lanes) {
      if (reasons.get(lane.id) !== null) continue
      const untrusted = await untrustedUses(lane, head, suites, options)
      if (untrusted !== null) refuse(untrusted, ({ id }) => id === lane.id)
    }
    const casesOf = (lane: Lane): Suite[] =>
      suites
        .filter(({ id }) => id === lane.suite)
        .map((suite) => ({
          ...suite,
          cases: suite.cases.filter((one) => isOfLane(one, suite, lane, subjects, judges)),
        }))
    const language = (lane: Lane) => ({ lane, suites: casesOf(lane) })
    for (const { lane, suites: own } of head.lanes.map(language)) {
      if (reasons.get(lane.id) !== null || lane.language === null) continue
      const lack = await lacking(own)
      if (lack !== null) refuse(lack, ({ id }) => id === lane.id)
    }
    const usable = head.lanes.filter(({ id }) => reasons.get(id) === null)
    const usableSuites = merged(usable.flatMap(casesOf))
    const usableSubjects = [...subjects.values()].filter(({ id }) =>
      usable.some(({ subject }) => subject === id),
    )
    const code = await setUp(options, usableSuites, usableSubjects, judges, refuse)
    if (code !== null) closers.push(() => code.sandbox.close())
    let workspaces: WorkspaceStore | null = null
    if (code !== null && needsWorkspaces(usableSuites, usableSubjects, judges)) {
      workspaces = await openWorkspaceStore({
        sandbox: code.sandbox,
        offlineSetup: head.offlineSetup,
        keep: null,
        signal,
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

async function readSuites(head: Head, items: ItemsOptions, folder: string): Promise<Suite[]> {
  const suites: Suite[] = []
  for (const { id, item } of head.suites) {
    const suite = JSON.parse((await getItem(items, item)).toString('utf8')) as Suite
    if (suite.id !== id) throw new Error(`the suite ${id} is not what the run says`)
    // Only suites that need the project's files are looked for in a folder.
    suites.push({ ...suite, path: join(folder, 'suite.json') })
  }
  return suites
}

async function makeAll(
  { head, items }: PrepareOptions,
  folder: string,
  refuse: (why: string, isMeant: (lane: Lane) => boolean) => void,
): Promise<{ subjects: Map<string, Subject>; judges: Subject[] }> {
  const { recipe } = head
  let prices: string | null = null
  if (recipe.prices !== null) {
    prices = join(folder, 'prices.toml')
    await writeFile(prices, await getItem(items, recipe.prices))
  }
  const common = {
    named: recipe.named as Record<string, NamedSubject>,
    providers: recipe.providers as NonNullable<SubjectRequest['providers']>,
    env: ownVariables(),
    prices: await loadPrices({ file: prices }),
    findRun: (name: string): string => {
      throw new UsageError(`${name} is a run of another machine`)
    },
  }
  const parameters = {
    parameters: recipe.parameters as NonNullable<SubjectRequest['parameters']>,
    defaults: recipe.defaults as NonNullable<SubjectRequest['defaults']>,
  }
  const make = async (
    list: Head['subjects'],
    request: Omit<SubjectRequest, 'subjects'>,
    isMeant: (lane: Lane, id: string) => boolean,
  ): Promise<Subject[]> => {
    const made: Subject[] = []
    for (const { id, hash } of list)
      try {
        const [subject] = await makeSubjects({ ...request, subjects: [id] })
        if (subject === undefined) continue
        made.push(subject)
        if (hashOf(subject.config) !== hash)
          refuse(`its ${id} has other settings than that of the run`, (lane) => isMeant(lane, id))
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        refuse(error.message, (lane) => isMeant(lane, id))
      }
    return made
  }
  const subjects = await make(
    head.subjects,
    { ...common, ...parameters },
    (lane, id) => lane.subject === id,
  )
  const judges = await make(head.judges, common, (lane, id) => lane.judges.includes(id))
  return { subjects: new Map(subjects.map((one) => [one.id, one])), judges }
}

function isOfLane(
  one: Case,
  suite: Suite,
  lane: Lane,
  subjects: ReadonlyMap<string, Subject>,
  judges: readonly Subject[],
): boolean {
  const subject = subjects.get(lane.subject)
  return subject !== undefined && laneOf({ suite, case: one, subject }, judges).id === lane.id
}

/** Says which toolchain or package is missing. */
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

/** Joins parts of the same suite. */
function merged(parts: readonly Suite[]): Suite[] {
  const byId = Map.groupBy(parts, ({ id }) => id)
  return [...byId.values()].map((same) => {
    const [first] = same as [Suite]
    const cases = new Map(same.flatMap((one) => one.cases.map((each) => [each.id, each])))
    return { ...first, cases: [...cases.values()] }
  })
}
