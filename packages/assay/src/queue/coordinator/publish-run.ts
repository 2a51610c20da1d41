/** Describes a run for workers: what is asked, with which settings, and what each lane needs. Contains no secret. */
import { UsageError } from '@assay/contract'
import { asJson, hashOf } from '@assay/contract/hash'
import { poolLimits, type Job } from '../../run/index.ts'
import { putItem, type ItemsOptions } from '../items.ts'
import { laneOf, needsProject } from '../lanes.ts'
import { PROTOCOL, WANTED_VERSION, type Head, type Item, type Lane } from '../messages.ts'

/** How the subjects of a run are made, from its settings. */
export interface SubjectRecipe {
  readonly named: Readonly<Record<string, unknown>>
  readonly providers: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, unknown>>
  readonly defaults: Readonly<Record<string, unknown>>
  /** The text of the price file. Null if there is none. */
  readonly prices: string | null
}

export interface PublishedRun {
  readonly head: Head
  readonly lanes: ReadonlyMap<string, Lane>
  /** The lane of each cell of the plan, by the cell's index. */
  readonly laneOfCell: ReadonlyMap<object, string>
}

export async function publishRun(
  job: Job,
  recipe: SubjectRecipe,
  items: ItemsOptions,
  { lockMs, name, at }: { readonly lockMs: number; readonly name: string; readonly at: string },
): Promise<PublishedRun> {
  const { plan, judges } = job
  checkTransferable(job, recipe)
  const lanes = new Map<string, Lane>()
  const laneOfCell = new Map<object, string>()
  for (const cell of plan.cells) {
    if (cell.trials === 0) continue
    const lane = laneOf(cell, judges)
    lanes.set(lane.id, lane)
    laneOfCell.set(cell, lane.id)
  }
  const suites: Head['suites'] = []
  for (const suite of plan.suites) {
    const content = Buffer.from(JSON.stringify({ ...suite, locateTests: undefined }))
    const item = await putItem(items, content, `suite ${suite.id}`)
    suites.push({ id: suite.id, hash: suite.hash, item, project: null })
  }
  const prices: Item | null =
    recipe.prices === null
      ? null
      : await putItem(items, Buffer.from(recipe.prices), 'the price file')
  const named = ({ id, config }: Job['judges'][number]) => ({ id, hash: hashOf(config) })
  const head: Head = {
    protocol: PROTOCOL,
    run: job.run,
    version: WANTED_VERSION,
    name,
    at,
    seed: job.seed,
    lockMs,
    timeoutMs: job.timeoutMs,
    agentTimeoutMs: job.agentTimeoutMs,
    gradeTimeoutMs: job.gradeTimeoutMs,
    maxWaitMs: job.maxWaitMs,
    retry: job.policy,
    sandbox: job.sandboxChoice,
    sandboxGraders: job.sandboxGraders,
    offlineSetup: job.offlineSetup,
    regrading: job.regrading,
    hasBudget: job.budget.isLimited,
    rate: job.rate ?? 0,
    pools: Object.fromEntries(
      [...poolLimits(job)].map(([pool, { start, most, probes = false }]) => [
        pool,
        { start, most, probes },
      ]),
    ),
    suites,
    subjects: plan.subjects.map(named),
    judges: judges.map(named),
    recipe: {
      named: asJson(usedNames(job, recipe)) as Record<string, unknown>,
      providers: asJson(recipe.providers) as Record<string, unknown>,
      parameters: asJson(recipe.parameters) as Record<string, unknown>,
      defaults: asJson(recipe.defaults) as Record<string, unknown>,
      prices,
    },
    folders: {},
    project: null,
    lanes: [...lanes.values()],
  }
  return { head, lanes, laneOfCell }
}

/** Throws a `UsageError` for what must not or cannot be sent to other machines. */
function checkTransferable(
  { plan, judges }: Pick<Job, 'plan' | 'judges'>,
  recipe: SubjectRecipe,
): void {
  for (const { id, kind } of [...plan.subjects, ...judges])
    if (kind === 'replay')
      throw new UsageError(
        `${id} replays recorded answers, which are on this machine: run it without --queue`,
      )
  for (const [name, subject] of Object.entries(usedNames({ plan, judges }, recipe)))
    for (const key of LOCAL_SETTINGS)
      if (Object.hasOwn(subject as object, key))
        throw new UsageError(
          `${name} sets ${key}, which names files or variables of this machine, and these are never sent to workers: run it without --queue`,
        )
  for (const suite of plan.suites)
    for (const one of suite.cases) {
      if (one.workspace?.folder != null || one.workspace?.git != null)
        throw new UsageError(
          `the workspace of case ${one.id} of ${suite.id} starts from a folder or repository of this machine, which is not sent to workers: run it without --queue, or give the files in the suite`,
        )
      const subject = plan.subjects.find((each) => needsProject(suite, one, each))
      if (subject !== undefined)
        throw new UsageError(
          `${subject.id} on case ${one.id} of ${suite.id} starts programs of this folder or uses its packages, which workers do not have: run it without --queue`,
        )
    }
  for (const [name, provider] of Object.entries(recipe.providers))
    if ((provider as { readonly apiKey?: unknown }).apiKey !== undefined)
      throw new UsageError(
        `the provider ${name} has its key in the settings file, and keys are never sent to workers. Name a variable with api_key_env, and set it where the workers run`,
      )
}

/** Settings of a subject that name files or variables of the machine that planned the run. */
const LOCAL_SETTINGS = [
  'env',
  'passEnv',
  'mcpServers',
  'skills',
  'files',
  'program',
  'cwd',
  'folder',
]

/** The settings of the named subjects that the run uses. Others are not sent. */
const usedNames = (
  { plan, judges }: Pick<Job, 'plan' | 'judges'>,
  { named }: SubjectRecipe,
): Record<string, unknown> =>
  Object.fromEntries(
    [...plan.subjects, ...judges].flatMap(({ id }) =>
      Object.hasOwn(named, id) ? [[id, named[id]] as const] : [],
    ),
  )
