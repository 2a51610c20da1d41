/**
 * Manages copies of starts, for trials and for graders. A used copy is restored and then waits for the next
 * user of the same start; `restore` guarantees that it is as good as a new copy. The number of waiting copies
 * is never larger than the highest number in use at once, so the disk holds at most twice the working set.
 */
import { mkdirSync } from 'node:fs'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import type { Owner } from './files/location.ts'
import type { Stamps } from './files/fingerprint.ts'
import type { Start } from './start.ts'

export interface Copy {
  readonly start: Start
  /** The parent folder, for other files of the copy's user. */
  readonly around: string
  readonly folder: string
  readonly owner: Owner
  readonly stamps: Stamps
}

export interface Copies {
  take(start: Start): Promise<Copy>
  /** Call this when nothing runs in the copy any more. Returns at once; the copy is restored in the background. */
  giveBack(copy: Copy): void
  /** The folder of the copy was moved elsewhere, so it is not restored. */
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
      // If it cannot be removed now, it is removed with the root, and an error is reported then.
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
