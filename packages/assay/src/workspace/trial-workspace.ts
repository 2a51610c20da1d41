/**
 * The workspace of one trial: a copy of the case's start, a home folder and a folder for temporary files. Assay may add
 * files of the subject before the agent starts. These files are also copied to a separate folder. The diff compares the
 * workspace with them, so it shows only the agent's own changes.
 */
import { lstatSync, mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Identity,
  Network,
  TrialWorkspace,
  WorkspaceEnd,
  WorkspaceProgram,
} from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import type { Copies, Copy } from './copies.ts'
import type { FileThreads } from './files/file-threads.ts'
import { keepFolder } from './kept-workspaces.ts'
import { modeOfText, placeFile } from './files/location.ts'
import { runProgram, seenPlace, withoutNetwork, type Place } from './program.ts'
import { STAMP_TICK_MS, stampAt, type Stamps } from './files/fingerprint.ts'
import { makeHome } from './start.ts'

export interface TrialOptions {
  readonly sandbox: Sandbox
  readonly threads: FileThreads
  readonly copies: Copies
  readonly identity: Identity
  readonly ignore: readonly string[]
  readonly protect: readonly string[]
  readonly keep: string | null
  readonly network: Network
}

export function openTrial(copy: Copy, options: TrialOptions): TrialWorkspace {
  const { sandbox, threads, copies } = options
  const { start, around, folder, owner } = copy
  const place: Place = { folder, home: `${around}/home`, temporary: `${around}/temporary` }
  // This folder is next to `around`, not inside it. If the sandbox cannot mount folders at other paths, the agent sees
  // `around` and could change the files in it.
  const laidFolder = `${around}-laid`
  const laid = new Set<string>()
  let stamps: Stamps = copy.stamps
  let stampedAt = performance.now()
  let closing: Promise<void> | null = null
  makeHome(place, owner)

  /**
   * Updates the stamps after files were added. A stamp shows whether a file has changed since it was read. This adds
   * the stamps of the new files, and removes those of the start's files that the new files replaced.
   */
  function begin(path: string, brought: readonly string[]): void {
    stamps = new Map(stamps)
    const isInWay = (other: string): boolean =>
      other.startsWith(`${path}/`) || path.startsWith(`${other}/`)
    for (const other of stamps.keys())
      if (!other.endsWith('/') && isInWay(other) && !isThere(`${folder}/${other}`))
        stamps.delete(other)
    for (const one of brought) {
      laid.add(one)
      stamps.set(one, stampAt(`${folder}/${one}`))
    }
    stampedAt = performance.now()
  }

  async function end(): Promise<void> {
    const { keep, identity } = options
    if (keep !== null) await keepFolder(folder, keep, identity, threads)
    const rest = keep === null ? [place.home, place.temporary] : [around]
    const removed = await Promise.allSettled(
      [...rest, laidFolder].map((path) => threads.run({ kind: 'remove', folder: path })),
    )
    // If a folder could not be removed, the copy is not used again. The store removes it later, and reports an error if
    // that fails too.
    const isClear = removed.every(({ status }) => status === 'fulfilled')
    if (keep === null && isClear) copies.giveBack(copy)
    else copies.forget(copy, isClear)
  }

  const seen = seenPlace(sandbox, place)
  async function run(program: WorkspaceProgram, network: Network): Promise<WorkspaceEnd> {
    // The kernel's clock for file times has ticks. A change in the same tick as the stamp would not be noticed, so the
    // program starts after the next tick.
    const early = STAMP_TICK_MS - (performance.now() - stampedAt)
    if (early > 0) await sleep(early)
    return runProgram(sandbox, place, program, network)
  }
  const workspace: TrialWorkspace = {
    folder: seen.folder,
    home: seen.home,
    network: options.network,

    async lay(where, path, what) {
      if (where === 'folder') mkdirSync(laidFolder, { recursive: true })
      const roots = where === 'home' ? [place.home] : [folder, laidFolder]
      let brought: string[] = [path]
      for (const root of roots)
        if ('text' in what) placeFile(root, path, what.text, modeOfText(what.text), owner)
        else {
          const { from } = what
          const found = await threads.run({ kind: 'bring', from, root, path, owner })
          brought = [...found.keys()]
            .filter((one) => !one.endsWith('/'))
            .map((one) => (one === '' ? path : `${path}/${one}`))
        }
      if (where === 'folder') begin(path, brought)
    },

    run: (program) => run(program, options.network),
    offline: () => withoutNetwork(sandbox, workspace, run),

    diff: () =>
      threads.run({
        kind: 'diff',
        folder,
        stamps,
        start: start.folder,
        laid: { folder: laidFolder, paths: laid },
        ignore: options.ignore,
        protect: options.protect,
      }),

    close() {
      closing ??= end()
      return closing
    },
  }
  return workspace
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A parent folder of the path was replaced by a file, so nothing exists at the path.
    return false
  }
}
