/**
 * Manages copies of starts, for trials and for graders. A start is the folder with the initial content of a case's
 * workspace. A used copy is restored in the background and then reused for the same start. `restore` guarantees
 * that it equals a new copy. The number of unused copies is limited to the highest number of copies that were in
 * use at once. So the disk holds at most twice as many copies as are needed.
 */
import { mkdirSync } from 'node:fs'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import type { Owner } from './files/location.ts'
import type { Stamps } from './files/fingerprint.ts'
import type { Start } from './start.ts'

export interface Copy {
  readonly start: Start
  /** The parent folder. The trial or grader that uses the copy puts its other files here. */
  readonly around: string
  readonly folder: string
  readonly owner: Owner
  readonly stamps: Stamps
}

export interface Copies {
  take(start: Start): Promise<Copy>
  /** Gives a copy back when nothing runs in it any more. Returns at once. The copy is restored in the background. */
  giveBack(copy: Copy): void
  /** Releases a copy without restoring it, for example because its folder was moved elsewhere. */
  forget(copy: Copy): void
  /** Resolves when all background work is done. */
  settled(): Promise<void>
}

export function openCopies(root: string, sandbox: Sandbox, threads: FileThreads): Copies {
  const waiting: Copy[] = []
  const behind = new Set<Promise<void>>()
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

  return {
    async take(start) {
      mostInUse = Math.max(mostInUse, ++inUse)
      const at = waiting.findLastIndex((copy) => copy.start === start)
      const [copy] = at === -1 ? [] : waiting.splice(at, 1)
      try {
        return copy ?? (await make(start))
      } catch (error) {
        inUse--
        throw error
      }
    },
    forget() {
      inUse--
    },
    giveBack(copy) {
      inUse--
      // If the copy cannot be removed now, it is removed later together with the store's root folder, and an
      // error is reported then.
      const work: Promise<void> = renew(copy)
        .catch(() => {})
        .finally(() => behind.delete(work))
      behind.add(work)
    },
    async settled() {
      while (behind.size > 0) await Promise.all(behind)
    },
  }
}
