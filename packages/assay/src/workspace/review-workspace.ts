/**
 * The folders of a judge that explores a trial's workspace: a copy of the work that it judges, and an empty folder in
 * which it starts. An agent reads instructions and settings from the folder in which it starts. The judge does not
 * start in the copy, because the judged subject may have written instructions there. The judge's own changes are thrown
 * away.
 */
import { mkdirSync, lchownSync } from 'node:fs'
import type { Network, TrialWorkspace, WorkspaceEnd, WorkspaceProgram } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import type { Copies, Copy } from './copies.ts'
import type { FileThreads } from './files/file-threads.ts'
import { modeOfText, placeFile } from './files/location.ts'
import type { Work } from './diff/apply.ts'
import { runProgram, seenPlace, withoutNetwork, type Place } from './program.ts'
import { makePlace } from './start.ts'

export interface ReviewOptions {
  readonly sandbox: Sandbox
  readonly threads: FileThreads
  readonly copies: Copies
  readonly diff: Work
  readonly hidden: Readonly<Record<string, string>>
}

/** A workspace for a judge. Its `folder` is empty at first, and `work` is the path of the copy. */
export interface ReviewWorkspace extends TrialWorkspace {
  readonly work: string
}

/**
 * Opens the workspace. From now on the copy belongs to it and is given back when it is closed, also if opening fails.
 */
export async function openReview(copy: Copy, options: ReviewOptions): Promise<ReviewWorkspace> {
  const { sandbox, threads, copies, diff, hidden } = options
  const { around, folder: work, owner } = copy
  const place = {
    folder: `${around}/review`,
    home: `${around}/home`,
    temporary: `${around}/temporary`,
    work,
  } satisfies Place
  let closing: Promise<void> | null = null

  async function end(): Promise<void> {
    const removed = await Promise.allSettled(
      [place.folder, place.home, place.temporary].map((path) =>
        threads.run({ kind: 'remove', folder: path }),
      ),
    )
    // A copy that is given back is restored to the start. If a folder could not be removed, the copy is not used again,
    // and the store removes it when the store is closed.
    if (removed.every(({ status }) => status === 'fulfilled')) copies.giveBack(copy)
    else copies.forget(copy, false)
  }
  const close = (): Promise<void> => (closing ??= end())

  try {
    makePlace(place, owner)
    mkdirSync(place.folder, { mode: 0o700 })
    if (owner !== null) lchownSync(place.folder, owner.uid, owner.gid)
    await threads.run({ kind: 'apply', folder: work, work: diff, hidden, owner })
  } catch (error) {
    await close()
    throw error
  }
  const seen = seenPlace(sandbox, place)
  const run = (program: WorkspaceProgram, network?: Network): Promise<WorkspaceEnd> =>
    runProgram(sandbox, place, program, network)
  const workspace: ReviewWorkspace = {
    folder: seen.folder,
    home: seen.home,
    // A judge needs the network to reach its model, even if the case gives the subject no network.
    network: 'open',
    work: seen.work ?? work,
    async lay(where, path, what) {
      const root = where === 'home' ? place.home : place.folder
      if ('text' in what) placeFile(root, path, what.text, modeOfText(what.text), owner)
      else await threads.run({ kind: 'bring', from: what.from, root, path, owner })
    },
    run: (program) => run(program),
    offline: () => withoutNetwork(sandbox, workspace, run),
    diff: async () => ({ version: 1, changes: [] }),
    close,
  }
  return workspace
}
