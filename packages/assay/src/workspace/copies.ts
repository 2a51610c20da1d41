/**
 * Copies of starts, for trials and for graders. One that was used is made fresh again and waits for the
 * next who needs the same start; that it is as good as a new copy is `restore`'s business. Never do more
 * wait than were in use at once, so that the disk holds twice what is worked with at most.
 */
import { mkdirSync } from 'node:fs'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import type { Owner } from './files/location.ts'
import type { Stamps } from './files/fingerprint.ts'
import type { Start } from './start.ts'

export interface Copy {
  readonly start: Start
  /** Around it, for what belongs to its user beside the folder. */
  readonly around: string
  readonly folder: string
  readonly owner: Owner
  readonly stamps: Stamps
}

export interface Copies {
  take(start: Start): Promise<Copy>
  /** Nobody acts in it any more. Returns at once; what is to be done is done behind. */
  giveBack(copy: Copy): void
  /** Its folder went elsewhere. */
  forget(copy: Copy): void
  /** Resolves when nothing is done behind any more. */
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
      // What cannot be removed now is removed with the root, or told then.
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
