/** `assay runs`: lists, finds, tags, deletes and prunes the runs of a project. */
import { basename, join, resolve } from 'node:path'
import { plain, UsageError } from '@assay/contract'
import { cacheFolder } from '../../../environment/index.ts'
import { spentText, type RunRow } from '../../../report/view-data/index.ts'
import { counted, nearest, percent, table } from '../../../text/index.ts'
import {
  deleteRun,
  folderSize,
  INDEX_FILE,
  readTags,
  RunIndex,
  RunStore,
  whyKept,
  writeTags,
} from '../../../view/index.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { printedJson, type Output } from '../../output/output.ts'
import { findRunToChange, isElsewhere, knownRuns, runSources } from '../../settings/find-run.ts'
import { RUN_STATES } from './names.ts'

export interface ListFlags {
  readonly words: readonly string[]
  readonly json?: boolean
}

/** Returns all runs of the project with their figures, newest first. */
async function allRuns(): Promise<readonly RunRow[]> {
  const sources = await runSources()
  const store = new RunStore({
    find: () => ({ folders: knownRuns(sources).folders, notes: [] }),
    index: RunIndex.open(join(cacheFolder(process.env), INDEX_FILE)),
  })
  try {
    store.list()
    await store.settled()
    return store.list().runs
  } finally {
    await store.close()
  }
}

export async function listRuns(
  { words, json = false }: ListFlags,
  output: Output,
): Promise<number> {
  const wanted = words.map((word) => word.toLowerCase())
  const runs = (await allRuns()).filter((run) => {
    const text = textOf(run)
    return wanted.every((word) => text.includes(word))
  })
  if (json) output.out(`${printedJson(runs, 2)}\n`)
  else if (runs.length === 0) output.err(`${noneFound(words)}\n`)
  else output.out(`${runTable(runs, output.width).join('\n')}\n`)
  return 0
}

/** The commands of `assay runs`. A misspelt one is read as a word to find, and is then named. */
const COMMANDS = ['list', 'tag', 'delete', 'prune']

function noneFound(words: readonly string[]): string {
  const [first] = words
  if (first === undefined) return 'there are no runs here yet'
  const near = nearest(first, COMMANDS)
  return [
    words.length === 1 ? `no run has the word "${plain(first)}"` : 'no run has all these words',
    ...(near === null ? [] : [`if you meant a command, it is assay runs ${near}`]),
  ].join('; ')
}

const textOf = ({ title, folder, state, tags, figures }: RunRow): string =>
  [
    title,
    folder,
    state,
    ...tags,
    ...(figures?.subjects ?? []).flatMap((one) => [one.suite, one.subject]),
  ]
    .join('\n')
    .toLowerCase()

function runTable(runs: readonly RunRow[], width: number): string[] {
  return table(
    [
      { title: 'run', align: 'left' },
      { title: 'state', align: 'left' },
      { title: 'best pass rate', align: 'right' },
      { title: 'trials', align: 'right' },
      { title: 'spent', align: 'right' },
      { title: 'tags', align: 'left' },
    ],
    runs.map(({ folder, state, figures, tags }) => {
      const rates = (figures?.subjects ?? []).flatMap(({ rate }) => (rate === null ? [] : [rate]))
      return [
        // Commands accept the folder's name without its path. The short name leaves space for the figures.
        plain(basename(folder)),
        state,
        rates.length === 0 ? '–' : percent(Math.max(...rates)),
        figures === null ? '–' : String(figures.counts.planned),
        figures === null ? '–' : spentText(figures),
        plain(tags.join(' ')),
      ]
    }),
    width,
  )
}

export interface TagFlags {
  readonly run: string
  readonly tags: readonly string[]
  readonly remove?: boolean
}

export async function tagRun({ run, tags, remove }: TagFlags, output: Output): Promise<number> {
  const folder = await runAnnouncer(output)(findRunToChange(run, await runSources()))
  const before = readTags(folder)
  const now = remove === true ? before.filter((tag) => !tags.includes(tag)) : [...before, ...tags]
  writeTags(folder, now)
  const after = readTags(folder)
  output.err(
    `${plain(folder)} has ${after.length === 0 ? 'no tags' : `the tags ${plain(after.join(', '))}`}\n`,
  )
  return 0
}

export async function deleteRuns(
  { runs, yes = false }: { readonly runs: readonly string[]; readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const sources = await runSources()
  const folders = runs.map((name) => resolve(findRunToChange(name, sources).folder))
  for (const folder of folders) {
    const why = whyKept(folder)
    if (why !== null) throw new UsageError(why)
  }
  const rows = await allRuns()
  const chosen = [...new Set(folders)].map(
    (folder) =>
      rows.find((row) => resolve(row.folder) === folder) ?? { folder, state: 'complete' as const },
  )
  return removeRuns(chosen, yes, output)
}

export interface PruneFlags {
  readonly older?: string
  readonly state?: readonly string[]
  readonly larger?: string
  readonly keepTagged?: boolean
  readonly yes?: boolean
}

export async function pruneRuns(
  flags: PruneFlags,
  output: Output,
  now: number = Date.now(),
): Promise<number> {
  const { older, state, larger, keepTagged = false, yes = false } = flags
  if (older === undefined && state === undefined && larger === undefined)
    throw new UsageError('say which runs: --older, --state or --larger')
  const unknown = state?.find((one) => !(RUN_STATES as readonly string[]).includes(one))
  if (unknown !== undefined)
    throw new UsageError(`--state ${unknown}: expected one of ${RUN_STATES.join(', ')}`)
  const before = older === undefined ? null : now - ageMs(older)
  const least = larger === undefined ? null : bytesOf(larger)
  const sources = await runSources()
  const matching = (await allRuns()).filter((run) => {
    if (run.state === 'running' || (keepTagged && run.tags.length > 0)) return false
    if (state !== undefined && !state.includes(run.state)) return false
    // If a run's start time cannot be read, it is unknown whether the run is old. So it is not selected.
    if (before !== null && !(Date.parse(run.createdAt ?? '') < before)) return false
    return least === null || folderSize(run.folder) > least
  })
  // The list of runs may come from somebody else. So a run outside of the repository is never deleted only because
  // it meets a condition.
  const elsewhere = matching.filter(({ folder }) => isElsewhere(folder, sources))
  if (elsewhere.length > 0)
    output.err(
      `${plain(`left out, because outside of this repository: ${elsewhere.map(({ folder }) => folder).join(', ')}. To delete one, name its folder: assay runs delete FOLDER`)}\n`,
    )
  const here = matching.filter((run) => !elsewhere.includes(run))
  const deletable = here.filter(({ folder }) => {
    const why = whyKept(folder)
    if (why !== null) output.err(`${plain(`left out: ${why}`)}\n`)
    return why === null
  })
  return removeRuns(deletable, yes, output)
}

function removeRuns(
  runs: readonly Pick<RunRow, 'folder' | 'state'>[],
  yes: boolean,
  output: Output,
): number {
  if (runs.length === 0) {
    output.err('no run meets the conditions\n')
    return 0
  }
  const sizes = runs.map(({ folder }) => folderSize(folder))
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  const rows = runs.map(({ folder, state }, i) => [plain(folder), state, bytesText(sizes[i] ?? 0)])
  output.out(
    `${table(
      [
        { title: 'run', align: 'left' },
        { title: 'state', align: 'left' },
        { title: 'size', align: 'right' },
      ],
      rows,
      output.width,
    ).join('\n')}\n`,
  )
  const what = `${counted(runs.length, 'run')}, ${bytesText(total)}`
  if (!yes) {
    output.err(`${what}: nothing is deleted yet. Add --yes to delete\n`)
    return 0
  }
  for (const { folder } of runs) deleteRun(folder)
  output.err(`deleted ${what}\n`)
  return 0
}

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

function ageMs(text: string): number {
  const [, value, unit = ''] = /^(\d{1,6}(?:\.\d+)?)([mhdw])$/.exec(text) ?? []
  if (value === undefined)
    throw new UsageError(`--older ${text}: expected an age such as 30d or 12h`)
  return Number(value) * (UNITS[unit] ?? 0)
}

const SIZES: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, b: 1 }

function bytesOf(text: string): number {
  const [, value, unit = ''] = /^(\d{1,9}(?:\.\d+)?)\s*(b|kb|mb|gb)$/i.exec(text) ?? []
  if (value === undefined) throw new UsageError(`--larger ${text}: expected a size such as 100MB`)
  return Number(value) * (SIZES[unit.toLowerCase()] ?? 1)
}

const bytesText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
