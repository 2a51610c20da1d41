/**
 * Allows only one process at a time to write to a run folder. The lock is a file that names its owner, a process. The
 * lock is stale when that process has ended. A process cannot see whether a process on another machine or in another
 * container has ended. So the owner also writes a heartbeat file every few seconds, and a lock whose heartbeat does not
 * change for a minute is stale too. A waiting process measures that minute with its own clock and looks only for
 * changes of the heartbeat, because the clocks of two machines differ.
 *
 * Taking a lock is atomic, also on a network file system: the lock's content is written to a temporary file, which then
 * gets the lock's name by a hard link. The link fails if the name exists. To take over a stale lock, or to release its
 * own, a process first creates a claim file, `lock.ID.claim`, where ID identifies the current lock. While a process
 * holds the claim, no other process may replace or remove that lock. So it can check again that the lock is still the
 * stale one, and then replace it. A claim is a lock too, and a stale claim is taken over in the same way. The name of a
 * claim on a claim is a hash of both, so that crafted claims in an untrusted folder cannot form a cycle.
 *
 * A writer may be suspended for so long that another machine takes its lock (a sleeping laptop, a lost network). It
 * detects this before its next write.
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
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunError, UsageError } from '@assay/contract'
import { openOwn } from '../own-file.ts'
import { idOfText, isAlive, newOwner, parseOwner, type Owner } from './owner.ts'

export const LOCK_FILE = 'lock'
export const HEARTBEAT_FILE = 'heartbeat'
/** Matches the names of claims and temporary files. Normally such a file exists only for a moment. */
const OTHER = /^lock\.[\w-]+\.(?:claim|\d*new)$/

/** The maximum number of bytes that are read from a lock file. A lock file that Assay wrote is smaller. */
const MOST_BYTES = 4096
/**
 * The maximum depth of claims on claims. A level is added only if a process dies within the millisecond in which it
 * holds a claim.
 */
const MOST_CLAIMS = 8
/**
 * The maximum number of attempts to take the lock. An attempt is repeated if the lock is released just before it can be
 * read.
 */
const MOST_RELEASED = 100
/**
 * Used only for messages: if neither the lock nor its heartbeat was modified for this long, their owner is considered
 * dead.
 */
const LONG_GONE_MS = 3_600_000

export interface LockClock {
  /** Returns a monotonic time in milliseconds. */
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
  /** If the heartbeat does not change for this long, its owner is considered dead. */
  readonly limitMs?: number
  /** Called with a message when this process starts to wait for a lock that may be stale. */
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
  /**
   * When this process last saw that it holds the lock, as monotonic time and as wall-clock time. Both are kept, because
   * one of the two clocks may stop while a machine sleeps.
   */
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

  /**
   * Takes the lock if it is free, or if its owner was a process of this machine that has ended. Otherwise throws at
   * once, without waiting.
   */
  static take(folder: string, options: LockOptions = {}): Lock {
    const self = newOwner()
    const seen = attempt(folder, self, ({ owner }) => owner !== null && isAlive(owner) === false)
    if (seen === null) return new Lock(folder, self, options)
    throw isTaken(folder, seen)
  }

  /**
   * Like `take`, but also takes over a lock from another machine or container if its heartbeat has stopped. Waits to
   * find out whether the heartbeat changes.
   */
  static async takeOver(folder: string, options: LockOptions = {}): Promise<Lock> {
    const { clock, beatMs, limitMs } = { ...DEFAULTS, ...options }
    const self = newOwner()
    /** By lock ID: the content of the heartbeat file, and when that content was first seen. */
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

  /** Throws if another process has taken over the lock. */
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
      const claim = claimOf(this.#folder, this.#path, this.#self.id)
      // If another process holds the claim, it is about to take over the lock. Then this process leaves the lock to it.
      if (hold(this.#folder, claim, newOwner(), isGone, 0) !== null) return
      if (this.#isOurs()) {
        rmSync(join(this.#folder, HEARTBEAT_FILE), { force: true })
        rmSync(this.#path, { force: true })
      }
      rmSync(claim, { force: true })
    } catch {
      // The folder may have been deleted. If the lock file still exists, it becomes stale when this process ends.
    }
  }

  #times(): readonly [number, number] {
    return [this.#options.clock.now(), Date.now()]
  }

  /**
   * Returns false only if another process has taken over the lock. If the lock file is missing or unreadable, nobody
   * has taken it over, so the result is true.
   */
  #isOurs(): boolean {
    try {
      const id = readSeen(this.#path)?.id
      this.#isLost ||= id !== undefined && id !== this.#self.id
      if (id === this.#self.id) this.#knownAt = this.#times()
    } catch {
      // The lock is checked again with the next heartbeat.
    }
    return !this.#isLost
  }

  /**
   * Writes one heartbeat. Opens and closes the file each time, because a network file system passes changes on only
   * when a file is closed.
   */
  #beat(): void {
    try {
      const fd = openOwn(join(this.#folder, HEARTBEAT_FILE), constants.O_WRONLY | constants.O_CREAT)
      try {
        writeSync(fd, `${this.#self.id} ${String(this.#beats++).padStart(12)}\n`, 0)
      } finally {
        closeSync(fd)
      }
    } catch {
      // If the heartbeat cannot be written, the lock still works between processes of this machine.
    }
  }
}

/**
 * Whether a process seems to be writing to the run folder now. If the lock's owner is on another machine or in another
 * container, the answer is a guess from the age of its files.
 */
export function isLocked(folder: string): boolean {
  let seen: Seen | null
  try {
    seen = readSeen(join(folder, LOCK_FILE))
  } catch {
    return false // The lock file is a link or not an ordinary file, so Assay did not write it.
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

/** Returns the path of the claim file for the lock or claim at `path`. `id` is the ID of its current owner. */
function claimOf(folder: string, path: string, id: string): string {
  const name = basename(path)
  return join(folder, `${LOCK_FILE}.${name === LOCK_FILE ? id : idOfText(`${name} ${id}`)}.claim`)
}

/** Tries to take the lock. Returns null if this process holds it now, otherwise the current owner. */
function attempt(folder: string, self: Owner, isStale: (seen: Seen) => boolean): Seen | null {
  try {
    return hold(folder, join(folder, LOCK_FILE), self, isStale, 0)
  } catch (error) {
    if (error instanceof RunError || error instanceof UsageError) throw error
    throw new RunError(`cannot lock ${folder}: ${(error as Error).message}`, { cause: error })
  }
}

/** Tries to create the lock or claim `path` for `self`. Returns null on success, otherwise the current owner. */
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
      // The lock was released between the attempt to create it and the attempt to read it. So try again.
      if (seen === null && i < MOST_RELEASED) continue
      if (seen === null || depth > MOST_CLAIMS)
        throw new RunError(
          `cannot lock ${folder}: others keep taking the lock. If no assay writes to it, remove ${LOCK_FILE} and ${LOCK_FILE}.*.claim there`,
        )
      if (!isStale(seen)) return seen
      const claim = claimOf(folder, path, seen.id)
      const busy = hold(folder, claim, self, isStale, depth + 1)
      // Another process holds the claim and is taking over the lock.
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

/** The error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Makes `path` a hard link to the file `own`. Returns false if `path` exists already. */
function isPlaced(own: string, path: string, text: string): boolean {
  const before = statSync(own).nlink
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // If a network file system loses the reply to the request, it sends the request again and then finds that the name
    // exists. A higher link count shows that the first request succeeded.
    if (code === 'EEXIST') return statSync(own).nlink > before
    if (!NO_LINKS.has(code)) throw error
  }
  try {
    // On a file system without hard links, the lock file is briefly incomplete. A process that reads it at that moment
    // sees an unknown owner and waits.
    writeNew(path, text)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Reads the owner that a lock or claim file names. Null if the file does not exist. */
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

/** Removes the claims and temporary files of processes that died while they took or released the lock. */
function removeOthers(folder: string, own: string): void {
  for (const name of readdirSync(folder)) {
    if (!OTHER.test(name) || name.includes(own)) continue
    const path = join(folder, name)
    try {
      const seen = readSeen(path)
      if (seen !== null && isGone(seen)) rmSync(path, { force: true })
    } catch {
      // Another process has already removed the file, or this process is not permitted to remove it.
    }
  }
}
