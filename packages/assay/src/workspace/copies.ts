/**
 * Manages copies of starts, for trials and for graders. A start is the folder with the initial content of a case's
 * workspace. A used copy is restored in the background and then used again for the same start. `restore` guarantees
 * that it equals a new copy. There are never more unused copies than the highest number of copies that were in use at
 * once. So the disk holds at most twice as many copies as are needed. A start that no trial needs is removed together
 * with its copies, as soon as none of its copies is in use.
 */
import { mkdirSync } from 'node:fs'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import type { Owner } from './files/location.ts'
import type { Stamps } from './files/fingerprint.ts'
import type { Start } from './start.ts'

export interface Copy {
  readonly start: Start
  /** The folder that contains the copy. The trial or grader that uses the copy puts its other files here. */
  readonly around: string
  readonly folder: string
  readonly owner: Owner
  readonly stamps: Stamps
}

export interface Copies {
  take(start: Start): Promise<Copy>
  /** Gives a copy back. No program may still run in it. Returns at once, and the copy is restored in the background. */
  giveBack(copy: Copy): void
  /** Gives a copy back without restoring it, for example because its folder was moved elsewhere. */
  forget(copy: Copy): void
  /**
   * Removes the start and its copies, at once or when the last copy is given back. After this call, the caller must not
   * take a copy of this start.
   */
  retire(start: Start): void
  /** Resolves when all background work is done. */
  settled(): Promise<void>
}

export function openCopies(root: string, sandbox: Sandbox, threads: FileThreads): Copies {
  const waiting: Copy[] = []
  const behind = new Set<Promise<void>>()
  /** How many copies of each start are in use or are being restored. */
  const uses = new Map<Start, number>()
  const retired = new Set<Start>()
  let made = 0
  let inUse = 0
  let mostInUse = 0

  async function make(start: Start): Promise<Copy> {
    const around = `${root}/${++made}`
    const owner = sandbox.newOwner()
    mkdirSync(around)
    const folder = `${around}/project`
    const stamps = await threads.run({ kind: 'copy', from: start.folder, to: folder, owner })
    return { start, around, folder, owner, stamps }
  }

  async function renew(copy: Copy): Promise<void> {
    const { start, around, folder, owner, stamps } = copy
    try {
      const spare = `${around}/spare`
      const fresh = await threads.run({
        kind: 'restore',
        folder,
        start: start.folder,
        stamps,
        spare,
        owner,
      })
      waiting.push({ ...copy, stamps: fresh })
    } catch {
      await threads.run({ kind: 'remove', folder: around })
    }
    const oldest = waiting.length > mostInUse ? waiting.shift() : undefined
    if (oldest !== undefined) await threads.run({ kind: 'remove', folder: oldest.around })
  }

  /**
   * Lets work continue in the background and ignores its errors. A folder that this work could not remove is removed
   * later, with the store's root folder. If that fails too, the store reports an error.
   */
  function later(work: Promise<void>): void {
    const done: Promise<void> = work.catch(() => {}).finally(() => behind.delete(done))
    behind.add(done)
  }

  function leave(start: Start): void {
    const left = (uses.get(start) ?? 1) - 1
    if (left > 0) uses.set(start, left)
    else uses.delete(start)
    removeRetired(start)
  }

  function removeRetired(start: Start): void {
    if (!retired.has(start) || uses.has(start)) return
    retired.delete(start)
    const unused = waiting.filter((copy) => copy.start === start)
    for (const copy of unused) waiting.splice(waiting.indexOf(copy), 1)
    for (const { around: folder } of [...unused, start])
      later(threads.run({ kind: 'remove', folder }))
  }

  return {
    async take(start) {
      mostInUse = Math.max(mostInUse, ++inUse)
      uses.set(start, (uses.get(start) ?? 0) + 1)
      const at = waiting.findLastIndex((copy) => copy.start === start)
      const [copy] = at === -1 ? [] : waiting.splice(at, 1)
      try {
        return copy ?? (await make(start))
      } catch (error) {
        inUse--
        leave(start)
        throw error
      }
    },
    forget({ start }) {
      inUse--
      leave(start)
    },
    giveBack(copy) {
      inUse--
      later(renew(copy).finally(() => leave(copy.start)))
    },
    retire(start) {
      retired.add(start)
      removeRetired(start)
    },
    async settled() {
      while (behind.size > 0) await Promise.all(behind)
    },
  }
}
