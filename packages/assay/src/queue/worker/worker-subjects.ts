/**
 * Creates the subjects and judges of a run on a worker, with the worker's own API keys, programs and copy of the
 * project.
 */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Subject, type Suite, UsageError } from '@assay/contract'
import { ownVariables } from '../../environment/index.ts'
import { functionSubjects } from '../../functions/index.ts'
import {
  loadPrices,
  makeSubjects,
  type NamedSubject,
  type SubjectRequest,
} from '../../subject/index.ts'
import { withPrompts } from '../../suite/index.ts'
import { getItem, type ItemsOptions } from '../items.ts'
import type { Head, Lane } from '../messages.ts'
import { differences, settingHashes } from '../settings-hash.ts'

/**
 * Reports why the worker cannot serve some lanes (groups of trials with the same needs). `isMeant` selects these lanes.
 */
export type Refuse = (why: string, isMeant: (lane: Lane) => boolean) => void

export interface SubjectsOptions {
  readonly head: Head
  readonly items: ItemsOptions
  readonly project: string
  /** A folder for temporary files. */
  readonly folder: string
  readonly suites: readonly Suite[]
  /**
   * Whether the worker can serve a lane (a group of trials with the same needs). More reasons against it may be found
   * later.
   */
  readonly isServed: (lane: Lane) => boolean
  readonly refuse: Refuse
}

export interface WorkerSubjects {
  readonly subjects: ReadonlyMap<string, Subject>
  readonly judges: readonly Subject[]
}

export async function workerSubjects(options: SubjectsOptions): Promise<WorkerSubjects> {
  const { head, suites, project, isServed } = options
  const { recipe } = head
  const common = {
    named: recipe.named as Record<string, NamedSubject>,
    folder: resolve(project, recipe.folder),
    workFolder: resolve(project),
    providers: recipe.providers as NonNullable<SubjectRequest['providers']>,
    env: ownVariables(),
    prices: await loadPrices({ file: await pricesFile(options) }),
    findRun: (name: string): string => {
      throw new UsageError(`${name} is a run of another machine`)
    },
  }
  const parameters = {
    parameters: recipe.parameters as NonNullable<SubjectRequest['parameters']>,
    defaults: recipe.defaults as NonNullable<SubjectRequest['defaults']>,
  }
  const served = head.lanes.filter(isServed)
  const made = await make(
    head.subjects.filter(({ id }) => served.some(({ subject }) => subject === id)),
    { ...common, ...parameters },
    options,
    (lane, id) => lane.subject === id,
  )
  const own = functionSubjects(suites, ownVariables())
  // A suite's list of subjects already names the subjects with prompts. It is removed here, because prompts are applied
  // below.
  const plain = suites.map((suite) => {
    const { subjects: _, ...rest } = suite
    return rest
  })
  const all = (await withPrompts(plain, [...made, ...own])).subjects
  const judges = await make(
    head.judges.filter(({ id }) => served.some((lane) => lane.judges.includes(id))),
    common,
    options,
    (lane, id) => lane.judges.includes(id),
  )
  compare(all, head.subjects, options.refuse, (lane, id) => lane.subject === id)
  compare(judges, head.judges, options.refuse, (lane, id) => lane.judges.includes(id))
  return { subjects: new Map(all.map((one) => [one.id, one])), judges }
}

async function pricesFile({ head, items, folder }: SubjectsOptions): Promise<string | null> {
  const { prices } = head.recipe
  if (prices === null) return null
  const file = join(folder, 'prices.toml')
  await writeFile(file, await getItem(items, prices))
  return file
}

/** Creates the subjects without prompts, from which the listed subjects are made. */
async function make(
  list: Head['subjects'],
  request: Omit<SubjectRequest, 'subjects'>,
  { refuse }: Pick<SubjectsOptions, 'refuse'>,
  isMeant: (lane: Lane, id: string) => boolean,
): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const [name, same] of Map.groupBy(list, ({ made }) => made)) {
    if (name === null) continue
    try {
      subjects.push(...(await makeSubjects({ ...request, subjects: [name] })))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      refuse(error.message, (lane) => same.some(({ id }) => isMeant(lane, id)))
    }
  }
  return subjects
}

/** Refuses subjects that differ from those of the coordinator, for example an agent of another version. */
function compare(
  subjects: readonly Subject[],
  wanted: Head['subjects'],
  refuse: Refuse,
  isMeant: (lane: Lane, id: string) => boolean,
): void {
  for (const { id, settings } of wanted) {
    const own = subjects.find((one) => one.id === id)
    const differ = own === undefined ? [] : differences(settingHashes(own.config), settings)
    if (own === undefined) refuse(`it has no subject ${id}`, (lane) => isMeant(lane, id))
    if (differ.length > 0)
      refuse(`its ${id} differs from that of the run in: ${differ.join(', ')}`, (lane) =>
        isMeant(lane, id),
      )
  }
}
