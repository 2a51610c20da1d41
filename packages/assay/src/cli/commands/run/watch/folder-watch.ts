/** Reports which files change in some folders. Installed packages, runs and hidden files are not watched. */
import { readdirSync, watch, type FSWatcher } from 'node:fs'
import { join, resolve } from 'node:path'

const MOST_DEPTH = 8
const MOST_FOLDERS = 2000
const SKIPPED = new Set(['node_modules', 'target', 'dist', 'build', '__pycache__'])
/**
 * How long to wait for further changes before changes are reported. Editors write and rename several files for one
 * change.
 */
const QUIET_MS = 60

export interface Changes {
  /** Watches these folders and their subfolders, in addition to the folders that are already watched. */
  readonly add: (folders: readonly string[]) => void
  /** Waits for changes and returns the changed files. Null after `close`. */
  readonly next: () => Promise<readonly string[] | null>
  readonly close: () => void
}

export class FolderWatch implements Changes {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed = new Set<string>()
  #waiting: PromiseWithResolvers<readonly string[] | null> | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  add(folders: readonly string[]): void {
    for (const folder of folders) this.#watch(resolve(folder), 0)
  }

  next(): Promise<readonly string[] | null> {
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    if (this.#isClosed) this.#waiting.resolve(null)
    else if (this.#changed.size > 0) this.#tellSoon()
    return promise
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    this.#waiting?.resolve(null)
  }

  #watch(folder: string, depth: number): void {
    if (this.#isClosed || this.#watchers.has(folder) || this.#watchers.size >= MOST_FOLDERS) return
    try {
      const watcher = watch(folder, (_, name) => this.#note(folder, name))
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
      if (depth >= MOST_DEPTH) return
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && !isIgnored(entry.name))
          this.#watch(join(folder, entry.name), depth + 1)
    } catch {
      // The folder was deleted or cannot be read.
      this.#drop(folder)
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #note(folder: string, name: string | null): void {
    if (name !== null && isIgnored(name)) return
    this.#changed.add(name === null ? folder : join(folder, name))
    // The changed path may be a new folder, which must be watched too.
    if (name !== null) this.#watchBelow(join(folder, name))
    this.#tellSoon()
  }

  #watchBelow(path: string): void {
    try {
      readdirSync(path)
      this.#watch(path, 0)
    } catch {
      // The path is a file, or it was deleted.
    }
  }

  #tellSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#waiting === null || this.#changed.size === 0) return
      const files = [...this.#changed].sort()
      this.#changed.clear()
      this.#waiting.resolve(files)
      this.#waiting = null
    }, QUIET_MS)
  }
}

const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('~') || SKIPPED.has(name)
