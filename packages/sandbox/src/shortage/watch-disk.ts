/**
 * Limits how much a program writes to its shared folders, because control groups do not limit that. Every few
 * moments, the free space of the file system is checked, which is cheap. But other programs write to the same file
 * system too. So only when the free space has shrunk by more than the program may write, the folders themselves are
 * measured.
 */
import { statfsSync } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'

export interface DiskAmounts {
  readonly bytes: number
  readonly files: number
}

/** The most that a program may write, even if more space is free. */
const MOST: DiskAmounts = { bytes: 16 * 2 ** 30, files: 1_000_000 }
/** A program may use this share of the space that is free when it starts. */
const PART = 1 / 4
const LOOK_MS = 500
/**
 * The longest time between two updates of the clock that the kernel uses for file times. So a file can be this much
 * newer than its time says.
 */
const TICK_MS = 20
/** The file system counts as full if less than this is free. */
const FULL: DiskAmounts = { bytes: 2 ** 20, files: 16 }

export interface DiskWatch {
  /**
   * Ends the watch. `reached`: the program exceeded its own limit. `starved`: the disk is full, but the program
   * is below its limit.
   */
  end(): Promise<'reached' | 'starved' | null>
}

/** Replacements for tests. */
export interface DiskOptions {
  readonly most?: DiskAmounts
  readonly lookMs?: number
  readonly free?: (folder: string) => DiskAmounts | null
}

/** Watches what a program writes to these folders. Calls `stop` once if the program writes more than it may. */
export function watchDisk(
  folders: readonly string[],
  stop: () => void,
  { most: given = MOST, lookMs = LOOK_MS, free = freeAt }: DiskOptions = {},
): DiskWatch {
  const [first] = folders
  const before = first === undefined ? null : free(first)
  if (first === undefined || before === null) return { end: () => Promise.resolve(null) }
  const since = Date.now() - TICK_MS
  const most: DiskAmounts = {
    bytes: Math.min(given.bytes, before.bytes * PART),
    files: Math.min(given.files, before.files * PART),
  }
  const lost = (now: DiskAmounts): boolean =>
    before.bytes - now.bytes > most.bytes || before.files - now.files > most.files
  let isOver = false
  let isMeasuring = false
  const timer = setInterval(() => {
    const now = free(first)
    if (isMeasuring || now === null || !lost(now)) return
    isMeasuring = true
    void measure(folders, since, most).then((own) => {
      isMeasuring = false
      if (isOver || !exceeds(own, most)) return undefined
      isOver = true
      clearInterval(timer)
      return stop()
    })
  }, lookMs)
  timer.unref()
  return {
    async end() {
      clearInterval(timer)
      const now = isOver ? null : free(first)
      if (now === null) return isOver ? 'reached' : null
      const isFull = now.bytes < FULL.bytes || now.files < FULL.files
      if (!isFull && !lost(now)) return null
      if (exceeds(await measure(folders, since, most), most)) return 'reached'
      return isFull ? 'starved' : null
    },
  }
}

const exceeds = (own: DiskAmounts, most: DiskAmounts): boolean =>
  own.bytes > most.bytes || own.files > most.files

/**
 * Returns the free space; null if the system does not report it. Some file systems do not report how many files they
 * can hold. Then the number of files is not limited.
 */
function freeAt(folder: string): DiskAmounts | null {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder)
    return { bytes: bavail * bsize, files: files === 0 ? Infinity : ffree }
  } catch {
    return null
  }
}

/**
 * The size of one block in a file's `blocks`. Blocks are counted instead of the file size, because a sparse file (one
 * with gaps) has a large size but uses little space.
 */
const BLOCK_BYTES = 512

/**
 * Measures what was written since the time `since`. Files that have not changed since then do not count. A program
 * cannot make a new file look old, because the kernel sets the time of a file's last change (ctime). Stops early when
 * `most` is exceeded. Ignores files that are deleted meanwhile.
 */
async function measure(
  folders: readonly string[],
  since: number,
  most: DiskAmounts,
): Promise<DiskAmounts> {
  const own = { bytes: 0, files: 0 }
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    try {
      for await (const entry of await opendir(folder)) {
        const path = `${folder}/${entry.name}`
        const { ctimeMs, blocks } = await lstat(path)
        if (entry.isDirectory()) waiting.push(path)
        if (ctimeMs < since) continue
        own.files++
        own.bytes += blocks * BLOCK_BYTES
        if (exceeds(own, most)) return own
      }
    } catch {
      // The file or folder is gone, or Assay may not access it.
    }
  }
  return own
}
