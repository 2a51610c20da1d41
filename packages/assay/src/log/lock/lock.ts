/**
 * One writer per run folder. The lock is a file that names its owner. It is stale when that process is gone. Whether a
 * process of another machine or container is gone cannot be seen, so the owner also keeps a heartbeat, a file that it
 * writes every few seconds: a lock whose heartbeat does not change for a minute is stale too. Only changes count, by
 * the watcher's own clock: clocks of machines differ.
 *
 * The lock changes hands in one step, also on a network file system: its file is complete before it gets its name, by a
 * hard link, which fails where the name is taken. To take a stale lock over, or to release one, a process first claims
 * it: it makes `lock.ID.claim`, where ID is that of this one holding. While it has the claim, nobody else may replace
 * or remove that lock, so it can look again whether the lock is still the stale one and put its own in its place. A
 * claim is a lock itself, and is taken over in the same way.
 *
 * A writer that stood still for so long that another machine took its lock (a laptop asleep, a lost network) notices
 * before it writes again.
 */
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunError, UsageError } from '@assay/contract'
import { openOwn } from '../own-file.ts'
import { idOfText, isAlive, newOwner, parseOwner, type Owner } from './owner.ts'

export const LOCK_FILE = 'lock'
export const HEARTBEAT_FILE = 'heartbeat'
/** The lock's other files, which are there only for moments. */
const OTHER = /^lock\.[\w-]+\.(?:claim|\d*new)$/

/** More than any owner is. */
const MOST_BYTES = 4096
/** Claims of claims of claims: each level is a process that died within a millisecond. */
const MOST_CLAIMS = 8
/** Locks that were released just before they could be read. */
const MOST_RELEASED = 100
/** For people only: a heartbeat this old by the folder's own times is nobody's. */
const LONG_GONE_MS = 3_600_000

export interface LockClock {
  /** Milliseconds that only grow. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  readonly every: (ms: number, work: () => void) => { readonly stop: () => void }
}

const systemLockClock: LockClock = {
  now: () => performance.now(),
  wait: (ms) => sleep(ms),
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref()
    return { stop: () => clearInterval(timer) }
  },
}

export interface LockOptions {
  readonly clock?: LockClock
  readonly beatMs?: number
  /** A heartbeat that does not change for so long is a dead one. */
  readonly limitMs?: number
  /** Says that a lock is watched before it is taken over. */
  readonly onWait?: (text: string) => void
}

const DEFAULTS = { clock: systemLockClock, beatMs: 5000, limitMs: 60_000 }

interface Seen {
  readonly id: string
  readonly owner: Owner | null
}

export class Lock {
  readonly #folder: string
  readonly #path: string
  readonly #self: Owner
  readonly #options: typeof DEFAULTS
  readonly #beating: { readonly stop: () => void }
  #beats = 0
  #isLost = false
  /** When it was last known to be ours, by either clock: one of them may stand still while a machine sleeps. */
  #knownAt: readonly [number, number]

  private constructor(folder: string, self: Owner, options: LockOptions) {
    this.#folder = folder
    this.#path = join(folder, LOCK_FILE)
    this.#self = self
    this.#options = { ...DEFAULTS, ...options }
    this.#knownAt = this.#times()
    this.#beat()
    this.#beating = this.#options.clock.every(this.#options.beatMs, () => {
      if (this.#isOurs()) this.#beat()
    })
    removeOthers(folder, self.id)
  }

  /** Takes the lock, also from a process of this machine that is gone; does not wait for others. */
  static take(folder: string, options: LockOptions = {}): Lock {
    const self = newOwner()
    const seen = attempt(folder, self, ({ owner }) => owner !== null && isAlive(owner) === false)
    if (seen === null) return new Lock(folder, self, options)
    throw isTaken(folder, seen)
  }

  /** The same, and takes the lock of another machine or container over when its heartbeat has stopped. */
  static async takeOver(folder: string, options: LockOptions = {}): Promise<Lock> {
    const { clock, beatMs, limitMs } = { ...DEFAULTS, ...options }
    const self = newOwner()
    /** By holding: its heartbeat, and since when that is what it is. */
    const watched = new Map<string, { beat: string; since: number }>()
    const isStale = (seen: Seen): boolean => {
      const alive = seen.owner === null ? null : isAlive(seen.owner)
      if (alive !== null) return !alive
      const known = watched.get(seen.id)
      return known !== undefined && clock.now() - known.since >= limitMs
    }
    for (;;) {
      const seen = attempt(folder, self, isStale)
      if (seen === null) return new Lock(folder, self, options)
      if (seen.owner !== null && isAlive(seen.owner) === true) throw isTaken(folder, seen)
      const beat = readSmall(join(folder, HEARTBEAT_FILE)) ?? ''
      const known = watched.get(seen.id)
      if (known === undefined) {
        if (watched.size === 0)
          options.onWait?.(
            `${folder} is locked by ${ownerWords(seen)}. Whether that is still at work shows within ${Math.ceil(limitMs / 1000)} s: if not, the lock is taken over`,
          )
        watched.set(seen.id, { beat, since: clock.now() })
      } else if (known.beat !== beat) throw isTaken(folder, seen)
      await clock.wait(Math.min(beatMs, limitMs) / 5)
    }
  }

  /** Throws where another process has taken the lock over in the meantime. */
  check(): void {
    const [now, wall] = this.#times()
    const [known, knownWall] = this.#knownAt
    const most = this.#options.limitMs / 2
    if (!this.#isLost && now - known <= most && Math.abs(wall - knownWall) <= most) return
    if (this.#isOurs()) return
    throw new RunError(
      `another assay has taken over ${this.#folder}, because this one gave no sign of life for ${Math.round(this.#options.limitMs / 1000)} s`,
    )
  }

  release(): void {
    this.#beating.stop()
    try {
      const claim = claimOf(this.#folder, this.#self.id)
      // Whoever has the claim is about to take the lock over, and may.
      if (hold(this.#folder, claim, newOwner(), isGone, 0) !== null) return
      if (this.#isOurs()) {
        rmSync(join(this.#folder, HEARTBEAT_FILE), { force: true })
        rmSync(this.#path, { force: true })
      }
      rmSync(claim, { force: true })
    } catch {
      // The folder may be gone. What is left of a lock is stale when this process ends.
    }
  }

  #times(): readonly [number, number] {
    return [this.#options.clock.now(), Date.now()]
  }

  /** A lock that is gone, or cannot be read now, has not been taken by anybody. */
  #isOurs(): boolean {
    try {
      const id = readSeen(this.#path)?.id
      this.#isLost ||= id !== undefined && id !== this.#self.id
      if (id === this.#self.id) this.#knownAt = this.#times()
    } catch {
      // Looked at again with the next beat.
    }
    return !this.#isLost
  }

  /** Opened and closed each time, so that a network file system passes it on. */
  #beat(): void {
    try {
      const fd = openOwn(join(this.#folder, HEARTBEAT_FILE), constants.O_WRONLY | constants.O_CREAT)
      try {
        writeSync(fd, `${this.#self.id} ${String(this.#beats++).padStart(12)}\n`, 0)
      } finally {
        closeSync(fd)
      }
    } catch {
      // Without a heartbeat the lock still holds on this machine.
    }
  }
}

/** Whether some process is writing to the run folder now, as far as can be known from here. */
export function isLocked(folder: string): boolean {
  let seen: Seen | null
  try {
    seen = readSeen(join(folder, LOCK_FILE))
  } catch {
    return false // no lock of ours
  }
  if (seen === null) return false
  const alive = seen.owner === null ? null : isAlive(seen.owner)
  return alive ?? Date.now() - lastSign(folder) < LONG_GONE_MS
}

function lastSign(folder: string): number {
  const times = [LOCK_FILE, HEARTBEAT_FILE].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return Math.max(...times)
}

const isTaken = (folder: string, seen: Seen): UsageError =>
  new UsageError(
    `another assay (${ownerWords(seen)}) is writing to ${folder}. ` +
      `Wait for it, or remove ${join(folder, LOCK_FILE)} if that is certainly wrong`,
  )

const ownerWords = ({ owner }: Seen): string =>
  owner === null ? 'an unknown process' : `process ${owner.pid} on ${owner.host}`

const isGone = ({ owner }: Seen): boolean => owner !== null && isAlive(owner) === false

const claimOf = (folder: string, id: string): string => join(folder, `${LOCK_FILE}.${id}.claim`)

/** Null once the lock is ours; else who has it. */
function attempt(folder: string, self: Owner, isStale: (seen: Seen) => boolean): Seen | null {
  try {
    return hold(folder, join(folder, LOCK_FILE), self, isStale, 0)
  } catch (error) {
    if (error instanceof RunError || error instanceof UsageError) throw error
    throw new RunError(`cannot lock ${folder}: ${(error as Error).message}`, { cause: error })
  }
}

/** Null once `path` names `self`; else whom it names. */
function hold(
  folder: string,
  path: string,
  self: Owner,
  isStale: (seen: Seen) => boolean,
  depth: number,
): Seen | null {
  const text = JSON.stringify(self)
  const own = join(folder, `${LOCK_FILE}.${self.id}.${depth === 0 ? 'new' : `${depth}new`}`)
  writeNew(own, text)
  try {
    for (let i = 0; ; i++) {
      if (isPlaced(own, path, text)) return null
      const seen = readSeen(path)
      // Released since.
      if (seen === null && i < MOST_RELEASED) continue
      if (seen === null || depth > MOST_CLAIMS)
        throw new RunError(`cannot lock ${folder}: others keep taking the lock`)
      if (!isStale(seen)) return seen
      const claim = claimOf(folder, seen.id)
      const busy = hold(folder, claim, self, isStale, depth + 1)
      // Somebody else is taking it over, and will have it.
      if (busy !== null) return busy
      try {
        if (readSeen(path)?.id !== seen.id) continue
        renameSync(own, path)
        return null
      } finally {
        rmSync(claim, { force: true })
      }
    }
  } finally {
    rmSync(own, { force: true })
  }
}

function writeNew(path: string, text: string): void {
  const fd = openSync(path, 'wx')
  try {
    writeSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Gives `own` the name `path` as well, unless that is taken. */
function isPlaced(own: string, path: string, text: string): boolean {
  const before = statSync(own).nlink
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // The reply of a network file system may be lost, and the second try then finds the first one's name.
    if (code === 'EEXIST') return statSync(own).nlink > before
    if (!NO_LINKS.has(code)) throw error
  }
  try {
    // Not complete at once: whoever reads it too early sees an unknown owner, and waits.
    writeNew(path, text)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Null where there is no such file. */
function readSeen(path: string): Seen | null {
  const text = readSmall(path)
  if (text === null) return null
  const owner = parseOwner(text)
  return { id: owner?.id ?? idOfText(text), owner }
}

function readSmall(path: string): string | null {
  let fd: number
  try {
    fd = openOwn(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const bytes = Buffer.alloc(Math.min(MOST_BYTES, fstatSync(fd).size))
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

/** Removes what processes left that died while they took or released the lock. */
function removeOthers(folder: string, own: string): void {
  for (const name of readdirSync(folder)) {
    if (!OTHER.test(name) || name.includes(own)) continue
    const path = join(folder, name)
    try {
      const seen = readSeen(path)
      if (seen !== null && isGone(seen)) rmSync(path, { force: true })
    } catch {
      // It is gone by itself, or is not ours to remove.
    }
  }
}
