/** `assay view`: serves the pages of the workbench on loopback until it is stopped. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { plain, UsageError } from '@assay/contract'
import { cacheFolder } from '../../../environment/index.ts'
import { counted } from '../../../text/index.ts'
import {
  INDEX_FILE,
  RunIndex,
  runsBelow,
  RunStore,
  serve,
  writeSite,
  type FoundRuns,
  type Services,
} from '../../../view/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import type { Output } from '../../output/output.ts'
import { isElsewhere, knownRuns, passedOverText, runSources } from '../../settings/find-run.ts'
import { openBrowser } from './open-browser.ts'

export interface ViewFlags {
  readonly folders: readonly string[]
  readonly port?: number
  readonly open?: boolean
  /**
   * Set by `assay run --view`: serves pages until the input ends. Each line of the input is the folder of a run to
   * open, as JSON.
   */
  readonly untilClosed?: boolean
  readonly export?: string
}

const PORT = 7357

export async function viewCommand(flags: ViewFlags, output: Output): Promise<number> {
  const { find, refusesChange } = await finderFor(flags.folders, flags.untilClosed === true)
  const store = new RunStore({
    find,
    index: RunIndex.open(join(cacheFolder(process.env), INDEX_FILE)),
  })
  if (flags.export !== undefined) return exportSite(store, flags.export, output)
  const { notes } = store.list()
  const server = await serve({ services: { store, refusesChange }, port: flags.port ?? PORT })
  for (const note of notes) output.err(`${output.colors.yellow('note:')} ${plain(note)}\n`)
  const runs = find().folders.length
  const none = runs === 0 ? ' yet: `assay run SUITE` makes one. It appears' : ''
  output.err(
    `${counted(runs, 'run')}${none} at\n\n  ${server.address}\n\nThe address is for you alone. Ctrl-C stops the server.\n${busyNote(flags.port, server.address)}`,
  )
  if (flags.untilClosed === true)
    await inputClosed((folder) =>
      openBrowser(server.addressForOnce(store.keyOf(folder) ?? undefined)),
    )
  else {
    if (flags.open !== false && output.isTerminal) openBrowser(server.addressForOnce())
    await stopped()
  }
  await server.close()
  await store.close()
  return 0
}

/** Says that another port than the one that the user named is used, because that one is in use. */
const busyNote = (wanted: number | undefined, address: string): string =>
  wanted === undefined || wanted === 0 || Number(new URL(address).port) === wanted
    ? ''
    : `Port ${wanted} is in use by another program, so this is the next free one.\n`

async function exportSite(store: RunStore, folder: string, output: Output): Promise<number> {
  try {
    checkWrittenHere(folder)
    const { runs, files, bytes, notes } = await writeSite(store, folder)
    for (const note of notes) output.err(`${output.colors.yellow('note:')} ${plain(note)}\n`)
    output.err(
      `${counted(runs, 'run')} in ${counted(files, 'file')}, ${(bytes / 1e6).toFixed(1)} MB: open ${plain(join(folder, 'index.html'))}\n`,
    )
    return 0
  } finally {
    await store.close()
  }
}

interface RunFinder {
  readonly find: () => FoundRuns
  readonly refusesChange: NonNullable<Services['refusesChange']>
}

/** Returns the functions that find runs. With `mayLack`, a folder need not exist yet, because a run will create it. */
async function finderFor(folders: readonly string[], mayLack: boolean): Promise<RunFinder> {
  for (const folder of mayLack ? [] : folders) {
    // The pages can label and delete the runs in the folder. So it must not be a link that leads out of the
    // repository.
    checkWrittenHere(folder)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(
        `${folder} is not a folder: name a run, or a folder to search for runs; without one, \`assay view\` shows those of the project`,
      )
  }
  if (folders.length > 0) return { find: () => runsBelow(folders), refusesChange: () => null }
  const sources = await runSources()
  return {
    find: () => {
      const { folders: known, passedOver } = knownRuns(sources)
      const note = passedOverText(passedOver).replace(/^\. /u, '')
      return { folders: known, notes: note === '' ? [] : [note] }
    },
    // The project's list of runs may come from somebody else, so its runs outside of the repository cannot be
    // changed. A folder that the user named has no such limit, because naming it was the user's choice.
    refusesChange: (folder) =>
      isElsewhere(folder, sources)
        ? `${folder} is outside of this repository: to change or delete this run, start assay view with its folder`
        : null,
  }
}

/**
 * Calls `open` with each folder that arrives on stdin. Resolves when the process that started this one has closed stdin
 * or ended.
 */
async function inputClosed(open: (folder: string) => void): Promise<void> {
  for await (const line of createInterface({ input: process.stdin }))
    try {
      open(String(JSON.parse(line)))
    } catch {
      // Ignore a line that is not JSON.
    }
}

/** Resolves when the user stops the command. */
const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve())
  })
