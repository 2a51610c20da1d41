/**
 * A workspace in the state in which a trial left it. That state is computed from the case's start and the changes in
 * the trial's record. So a trial can be graded again from the log alone, with the same result. Graders read single
 * files without a copy of the workspace on the disk. A copy is made only for programs that run in the workspace.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileChange, WorkspaceDiff, GradedWorkspace } from '@assay/contract'
import type { Copies } from './copies.ts'
import type { FileThreads } from './files/file-threads.ts'
import type { Index } from './files/index-tree.ts'
import type { Work } from './diff/apply.ts'
import { ignored } from './diff/patterns.ts'
import { modeOfText } from './files/location.ts'
import { makeHome, type Start } from './start.ts'
import { textIn } from './files/text-in.ts'

export interface GradedOptions {
  readonly start: () => Promise<Start>
  readonly diff: Work
  readonly ignore: readonly string[]
  readonly hidden: Readonly<Record<string, string>>
  readonly threads: FileThreads
  readonly copies: Copies
}

/** The most links that are followed in one path. Linux has the same limit. */
const MOST_LINKS = 40
/** The most bytes of a file that a grader can read. */
const MOST_BYTES = 32 * 1024 * 1024

export function gradedWorkspace(options: GradedOptions): GradedWorkspace {
  const { start, diff, hidden, threads, copies } = options
  const { changes } = diff
  const changed = new Map(changes.map((change) => [change.path, change]))
  const ignoring = ignored(options.ignore)

  return {
    async ready() {
      await (await start()).index()
    },

    async list() {
      const index = await (await start()).index()
      const paths = new Set([...index.keys()].filter((path) => !ignoring.covers(path)))
      for (const { path, change } of changes)
        if (change === 'deleted') paths.delete(path)
        else paths.add(path)
      return [...paths].sort()
    },

    async read(path) {
      const { folder, index: list } = await start()
      const index = await list()
      const end = resolve(path, (at) => linkAt(at, changed, index))
      if (end === null || ignoring.covers(end)) return null
      const change = changed.get(end)
      if (change !== undefined) return change.text ?? null
      return index.get(end) === null ? readText(`${folder}/${end}`) : null
    },

    async lay(what = 'all') {
      const copy = await copies.take(await start())
      const { folder, around, owner } = copy
      const place = { folder, home: `${around}/home`, temporary: `${around}/temporary` }
      let removing: Promise<void> | null = null
      const end = async (): Promise<void> => {
        const removed = await Promise.allSettled(
          [place.home, place.temporary].map((path) =>
            threads.run({ kind: 'remove', folder: path }),
          ),
        )
        // If a folder could not be removed, the copy is not used again. The store removes it when the store is closed.
        if (removed.every(({ status }) => status === 'fulfilled')) copies.giveBack(copy)
        else copies.forget(copy, false)
      }
      const remove = (): Promise<void> => (removing ??= end())
      try {
        makeHome(place, owner)
        await threads.run({
          kind: 'apply',
          folder,
          work: what === 'tests' ? { changes: [] } : diff,
          hidden: what === 'work' ? {} : hidden,
          owner,
        })
      } catch (error) {
        await remove()
        throw error
      }
      return { ...place, remove }
    },
  }
}

/** Turns the files in a model's answer into a diff, as if the model had written them into a workspace. */
export const asDiff = (files: Readonly<Record<string, string>>): WorkspaceDiff => ({
  version: 1,
  changes: Object.entries(files)
    .filter(([path]) => isInside(path))
    .map(([path, text]): FileChange => ({ path, change: 'added', mode: modeOfText(text), text }))
    .sort((a, b) => (a.path < b.path ? -1 : 1)),
})

const isInside = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every((step) => !['', '.', '..'].includes(step))

/** Returns the target of a link, or null if the path is not a link. */
function linkAt(
  path: string,
  changed: ReadonlyMap<string, FileChange>,
  index: Index,
): string | null {
  const change = changed.get(path)
  if (change === undefined) return index.get(path) ?? null
  return change.mode === '120000' ? (change.text ?? '/') : null
}

/** Resolves all links in the path. Returns null if a link leads out of the folder, or if the links form a cycle. */
function resolve(path: string, linkTo: (path: string) => string | null): string | null {
  const rest = path.split('/')
  const at: string[] = []
  let followed = 0
  for (let step = rest.shift(); step !== undefined; step = rest.shift()) {
    if (step === '' || step === '.') continue
    if (step === '..') {
      if (at.pop() === undefined) return null
      continue
    }
    at.push(step)
    const target = linkTo(at.join('/'))
    if (target === null) continue
    if (target.startsWith('/') || ++followed > MOST_LINKS) return null
    at.pop()
    rest.unshift(...target.split('/'))
  }
  return at.join('/')
}

async function readText(path: string): Promise<string | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const { size } = await file.stat()
    return size > MOST_BYTES ? null : textIn(await file.readFile())
  } finally {
    await file.close()
  }
}
