/**
 * Manages copies of starts, for trials and for graders. A start is the folder with the initial content of a case's
 * workspace. A used copy is restored in the background and then used again for the same start. `restore` guarantees
 * that it equals a new copy. There are never more unused copies than the highest number of copies that were in use at
 * once. So the disk holds at most twice as many copies as are needed. A start that no trial needs is removed together
 * with its copies, as soon as none of its copies is in use.
 *
 * A bound start (see `Start`) has one copy only. A further copy needs a further start, which is set up anew. That may
 * take minutes, so the caller gets a copy that is being restored, if there is one.
 */
import { mkdirSync } from 'node:fs'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import type { Owner } from './files/location.ts'
import type { Stamps } from './files/fingerprint.ts'
import type { Start } from './start.ts'

export interface Copy {
  /** The start of the case, for which the copy is used. */
  readonly of: Start
  /** The start that was copied. It differs from `of` only if that is bound to the path of another copy. */
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
  /**
   * Gives a copy back without restoring it, for example because its folder was moved elsewhere. `isRemoved` is true if
   * nothing is left in the folder that contained the copy.
   */
  forget(copy: Copy, isRemoved: boolean): void
  /**
   * Removes the start and its copies, at once or when the last copy is given back. After this call, the caller must not
   * take a copy of this start.
   */
  retire(start: Start): void
  /** Resolves when all background work is done. */
  settled(): Promise<void>
}

/** The starts of one case that work only at their own paths. */
interface BoundStarts {
  readonly all: Start[]
  /** The starts that have no copy at the moment. */
  readonly free: Start[]
  /** The copies that are being restored. */
  readonly restoring: Set<Promise<void>>
}

export function openCopies(root: string, sandbox: Sandbox, threads: FileThreads): Copies {
  const waiting: Copy[] = []
  const behind = new Set<Promise<void>>()
  /** For each start, how many of its copies are in use or are being restored. */
  const uses = new Map<Start, number>()
  const retired = new Set<Start>()
  /** The bound starts of each case. The key is the case's first start. */
  const boundStarts = new Map<Start, BoundStarts>()
  let made = 0
  let inUse = 0
  let mostInUse = 0

  async function make(of: Start, start: Start): Promise<Copy> {
    const around = start.bound?.around ?? `${root}/${++made}`
    const owner = sandbox.newOwner()
    mkdirSync(around, { recursive: start.bound !== null })
    const folder = `${around}/project`
    const stamps = await threads.run({ kind: 'copy', from: start.folder, to: folder, owner })
    return { of, start, around, folder, owner, stamps }
  }

  function unused(of: Start): Copy | undefined {
    const at = waiting.findLastIndex((copy) => copy.of === of)
    return at === -1 ? undefined : waiting.splice(at, 1)[0]
  }

  function boundTo(of: Start): BoundStarts {
    const known = boundStarts.get(of)
    if (known !== undefined) return known
    const starts: BoundStarts = { all: [of], free: [of], restoring: new Set() }
    boundStarts.set(of, starts)
    return starts
  }

  async function makeBound(of: Start, another: () => Promise<Start>): Promise<Copy> {
    const { all, free, restoring } = boundTo(of)
    while (free.length === 0 && restoring.size > 0) {
      await Promise.race(restoring)
      const copy = unused(of)
      if (copy !== undefined) return copy
    }
    const known = free.pop()
    const start = known ?? (await another())
    if (known === undefined) all.push(start)
    try {
      return await make(of, start)
    } catch (error) {
      free.push(start)
      throw error
    }
  }

  /** Marks the path of a removed copy as free. */
  function release({ of, start }: Copy): void {
    if (start.bound !== null) boundStarts.get(of)?.free.push(start)
  }

  async function discard(copy: Copy): Promise<void> {
    await threads.run({ kind: 'remove', folder: copy.around })
    release(copy)
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
      await discard(copy)
    }
    const oldest = waiting.length > mostInUse ? waiting.shift() : undefined
    if (oldest !== undefined) await discard(oldest)
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
    const copies = waiting.filter((copy) => copy.of === start)
    for (const copy of copies) waiting.splice(waiting.indexOf(copy), 1)
    const bound = boundStarts.get(start)
    boundStarts.delete(start)
    // The folder of a bound start contains its copy, so it is enough to remove that folder.
    for (const { around: folder } of bound?.all ?? [...copies, start])
      later(threads.run({ kind: 'remove', folder }))
  }

  return {
    async take(start) {
      mostInUse = Math.max(mostInUse, ++inUse)
      uses.set(start, (uses.get(start) ?? 0) + 1)
      try {
        const { bound } = start
        return (
          unused(start) ??
          (await (bound === null ? make(start, start) : makeBound(start, bound.another)))
        )
      } catch (error) {
        inUse--
        leave(start)
        throw error
      }
    },
    forget(copy, isRemoved) {
      inUse--
      if (isRemoved) release(copy)
      leave(copy.of)
    },
    giveBack(copy) {
      inUse--
      const restoring = copy.start.bound === null ? null : boundTo(copy.of).restoring
      const renewed: Promise<void> = renew(copy)
        .catch(() => {})
        .finally(() => {
          restoring?.delete(renewed)
          leave(copy.of)
        })
      restoring?.add(renewed)
      later(renewed)
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
