/**
 * Describes a run for its workers: the suites, the settings, and what a worker needs for each lane (a group of trials
 * with the same needs). It contains no secret.
 */
import { resolve } from 'node:path'
import { UsageError, type Subject, type Suite } from '@assay/contract'
import { asJson, hashOf } from '@assay/contract/hash'
import { poolLimits, type Job } from '../../run/index.ts'
import type { NamedSubject } from '../../subject/index.ts'
import { packStarts, withoutPaths } from '../folder-items.ts'
import { putItem, type ItemsOptions } from '../items.ts'
import { laneOf } from '../lanes.ts'
import { PROTOCOL, WANTED_VERSION, type Head, type Item, type Lane } from '../messages.ts'
import { pathInProject, projectHash } from '../project.ts'
import { settingHashes } from '../settings-hash.ts'
import { madeFrom, usedNames, type SubjectRecipe } from './recipe.ts'
import { checkTransferable, usesProject } from './transferable.ts'

export interface PublishedRun {
  readonly head: Head
  readonly lanes: ReadonlyMap<string, Lane>
  /** For each cell (one subject on one case), the id of its lane (a group of trials with the same needs). */
  readonly laneOfCell: ReadonlyMap<object, string>
  /** Writes the run's items (suites, price files, folders) to Redis again, after Redis has lost them. */
  restore(): Promise<void>
}

export interface PublishOptions {
  readonly lockMs: number
  readonly name: string
  readonly at: string
  readonly recipe: SubjectRecipe
  /** The folder with the programs and commands that the run uses. */
  readonly project: string
}

export async function publishRun(
  job: Job,
  items: ItemsOptions,
  options: PublishOptions,
): Promise<PublishedRun> {
  const { plan, judges } = job
  const { recipe, project, lockMs, name, at } = options
  checkTransferable(job, recipe)
  const namedOf = (subject: Subject): NamedSubject | null => {
    const made = madeFrom(subject, recipe)
    return made === null ? null : ((recipe.named[made] as NamedSubject | undefined) ?? null)
  }
  const isOfProject = (subject: Subject): boolean => usesProject(subject, namedOf(subject))
  const lanes = new Map<string, Lane>()
  const laneOfCell = new Map<object, string>()
  for (const cell of plan.cells) {
    if (cell.trials === 0) continue
    const lane = laneOf(cell, judges, isOfProject)
    lanes.set(lane.id, lane)
    laneOfCell.set(cell, lane.id)
  }
  const needed = new Set([...lanes.values()].flatMap((lane) => (lane.project ? [lane.suite] : [])))

  const contents = new Map<string, readonly [content: Uint8Array, what: string]>()
  const put = async (content: Uint8Array, what: string): Promise<Item> => {
    const item = await putItem(items, content, what)
    if (item.in === 'redis') contents.set(item.sha256, [content, what])
    return item
  }
  const suites: Head['suites'] = []
  for (const suite of plan.suites) {
    const content = JSON.stringify({ ...withoutPaths(suite), locateTests: undefined })
    suites.push({
      id: suite.id,
      hash: suite.hash,
      item: await put(Buffer.from(content), `suite ${suite.id}`),
      path: needed.has(suite.id) ? suitePath(suite, project) : null,
      functions: suite.functions === undefined ? null : hashOf(suite.functions.description.value),
    })
  }
  const folders: Head['folders'] = {}
  await packStarts(
    plan.suites,
    job.signal,
    async (one, content, what) => {
      folders[one] = await put(content, what)
    },
    (text) => job.onEvent({ type: 'note', text }),
  )
  const prices: Item | null =
    recipe.prices === null ? null : await put(Buffer.from(recipe.prices), 'the price file')
  const described = (subject: Subject): Head['subjects'][number] => ({
    id: subject.id,
    made: madeFrom(subject, recipe),
    settings: settingHashes(subject.config),
    project: isOfProject(subject),
  })
  const folder = pathInProject(project, resolve(recipe.folder ?? project))
  if (folder === null && [...plan.subjects, ...judges].some(isOfProject))
    throw new UsageError(
      `the settings are in ${recipe.folder}, outside of the project ${resolve(project)}: start the run in the folder of the project`,
    )
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
    parallelism: job.parallelism,
    suites,
    subjects: plan.subjects.map(described),
    judges: judges.map(described),
    recipe: {
      named: asJson(usedNames(job, recipe)) as Record<string, unknown>,
      providers: asJson(recipe.providers) as Record<string, unknown>,
      parameters: asJson(recipe.parameters) as Record<string, unknown>,
      defaults: asJson(recipe.defaults) as Record<string, unknown>,
      prices,
      folder: folder ?? '',
    },
    folders,
    project: needed.size === 0 ? null : await projectHash(project),
    lanes: [...lanes.values()],
  }
  return {
    head,
    lanes,
    laneOfCell,
    async restore() {
      for (const [content, what] of contents.values()) await putItem(items, content, what)
    },
  }
}

/**
 * Returns the path of the suite relative to the project. Throws a `UsageError` if the suite is outside of the project.
 */
function suitePath({ path, id }: Suite, project: string): string {
  const inside = pathInProject(project, resolve(path))
  if (inside === null)
    throw new UsageError(
      `the suite ${id} starts programs or uses packages of its folder, and ${path} is outside of the project ${resolve(project)}: start the run in the folder of the project`,
    )
  return inside
}
