/** `assay view`: serves the pages of the workbench on loopback until it is stopped. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@assay/contract'
import { cacheFolder } from '../../../environment/index.ts'
import { counted } from '../../../text/index.ts'
import {
  INDEX_FILE,
  RunIndex,
  runsBelow,
  RunStore,
  serve,
  type FoundRuns,
} from '../../../view/index.ts'
import type { Output } from '../../output/output.ts'
import { knownRuns, passedOverText, runSources, type RunSources } from '../../settings/find-run.ts'
import { openBrowser } from './open-browser.ts'

export interface ViewFlags {
  readonly folders: readonly string[]
  readonly port?: number
  readonly open?: boolean
}

const PORT = 7357

export async function viewCommand(flags: ViewFlags, output: Output): Promise<number> {
  const find = await finderFor(flags.folders)
  const store = new RunStore({
    find,
    index: RunIndex.open(join(cacheFolder(process.env), INDEX_FILE)),
  })
  const { notes } = store.list()
  const server = await serve({ services: { store }, port: flags.port ?? PORT })
  for (const note of notes) output.err(`${output.colors.yellow('note:')} ${note}\n`)
  output.err(
    `${counted(find().folders.length, 'run')} at\n\n  ${server.address}\n\nThe address is for you alone. Ctrl-C stops the server.\n`,
  )
  if (flags.open !== false && output.isTerminal) openBrowser(server.addressForOnce())
  await stopped()
  await server.close()
  await store.close()
  return 0
}

async function finderFor(folders: readonly string[]): Promise<() => FoundRuns> {
  for (const folder of folders)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`${folder} is no folder`)
  if (folders.length > 0) return () => runsBelow(folders)
  const sources: RunSources = await runSources()
  return () => {
    const { folders: known, passedOver } = knownRuns(sources)
    const note = passedOverText(passedOver).replace(/^\. /u, '')
    return { folders: known, notes: note === '' ? [] : [note] }
  }
}

/** Resolves when the user stops the command. */
const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve())
  })
