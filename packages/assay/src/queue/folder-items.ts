/**
 * Sends the folders and git commits from which workspaces start. The coordinator packs them, and the workers that need
 * them unpack them.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Case, GitSource, LocalCommit, Suite, WorkspacePlan } from '@assay/contract'
import { hashFolder } from '../suite/index.ts'
import { packCommit, packFolder, unpackFolder } from '../workspace/index.ts'
import { getItem, type ItemsOptions } from './items.ts'
import { sha256, type Head } from './messages.ts'

/** Returns the name under which the packed commit is listed in the description of the run. */
const commitName = (git: GitSource): string =>
  sha256(JSON.stringify(['url' in git ? git.url : git.path, git.commit, git.depth]))

/** Packs all folders and commits from which the workspaces of the cases start. Calls `put` once for each of them. */
export async function packStarts(
  suites: readonly Suite[],
  signal: AbortSignal,
  put: (name: string, content: Uint8Array, what: string) => Promise<void>,
  onFetch: (text: string) => void,
): Promise<void> {
  const packed = new Set<string>()
  const once = async (
    name: string,
    what: string,
    pack: () => Promise<Uint8Array>,
  ): Promise<void> => {
    if (packed.has(name)) return
    packed.add(name)
    await put(name, await pack(), what)
  }
  for (const { id, cases } of suites)
    for (const { id: name, workspace } of cases) {
      const what = `the workspace of case ${name} of ${id}`
      const { git = null, folder = null } = workspace ?? {}
      if (folder !== null)
        await once(folder.sha256, what, () => packFolder(folder.path, folder.without))
      if (git !== null) await once(commitName(git), what, () => packCommit(git, signal, onFetch))
    }
}

/** Returns the suite in the form that is sent to workers, without the paths of this machine. */
export const withoutPaths = (suite: Suite): Suite => ({
  ...suite,
  path: '',
  cases: suite.cases.map((one) => changed(one, (name) => name)),
})

/**
 * Replaces the paths from which a case's workspace starts. `path` turns the name of a packed folder or commit into a
 * path.
 */
function changed(one: Case, path: (name: string) => string): Case {
  const { workspace } = one
  if (workspace === null || (workspace.folder === null && workspace.git === null)) return one
  const { folder, git } = workspace
  return {
    ...one,
    workspace: {
      ...workspace,
      folder: folder === null ? null : { path: path(folder.sha256), sha256: folder.sha256 },
      // Workers unpack the commit that the coordinator sent. So they do not have to fetch it or read the original
      // repository.
      git: git === null ? null : packedCommit(git, path(commitName(git))),
    },
  }
}

const packedCommit = ({ commit, depth }: GitSource, path: string): LocalCommit => ({
  path,
  commit,
  depth,
})

/**
 * Runs on a worker. Unpacks the folders and commits from which the workspaces of these cases start. Returns the suites
 * with the paths of the unpacked folders.
 */
export async function unpackStarts(
  suites: readonly Suite[],
  isNeeded: (suite: Suite, one: Case) => boolean,
  { head, items, folder }: { head: Head; items: ItemsOptions; folder: string },
): Promise<Suite[]> {
  const starts = join(folder, 'starts')
  await mkdir(starts, { recursive: true })
  const done = new Set<string>()
  const unpack = async (name: string, isFolder: boolean): Promise<void> => {
    if (done.has(name)) return
    done.add(name)
    const item = head.folders[name]
    if (item === undefined) throw new Error('the start of a workspace is not there')
    const to = join(starts, name)
    await unpackFolder(await getItem(items, item), to)
    if (isFolder && (await hashFolder(to, { skips: () => false })) !== name)
      throw new Error('the start of a workspace is not what its hash says')
  }
  const unpacked: Suite[] = []
  for (const suite of suites) {
    const cases: Case[] = []
    for (const one of suite.cases) {
      const { git = null, folder: copied = null } = one.workspace ?? {}
      if (git !== null && !('path' in git))
        throw new Error('the start of a workspace is not packed')
      if ((git === null && copied === null) || !isNeeded(suite, one)) {
        cases.push(one)
        continue
      }
      if (copied !== null) await unpack(copied.path, true)
      if (git !== null) await unpack(git.path, false)
      cases.push({
        ...one,
        workspace: {
          ...(one.workspace as WorkspacePlan),
          folder: copied === null ? null : { ...copied, path: join(starts, copied.path) },
          git: git === null ? null : packedCommit(git, join(starts, git.path)),
        },
      })
    }
    unpacked.push({ ...suite, cases })
  }
  return unpacked
}
