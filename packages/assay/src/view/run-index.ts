/**
 * An index of run folders in SQLite, so that a list of hundreds of runs need not read hundreds of logs. It is derived
 * from the folders: an entry is used only if the state of the folder's files is the one that the entry was made from.
 * It is kept in the user's cache, never in a run folder, because a folder may come from another person. If it cannot be
 * opened, is damaged, or was written by another version, it is thrown away. If that fails too, an index in memory takes
 * its place.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunRow, SuiteChange, ViewData } from '../report/view-data/index.ts'
import { VERSION } from '../version.ts'

/** The name of the index in the user's cache. */
export const INDEX_FILE = 'workbench.sqlite'

/** Must be increased when the contents of the index change. */
const FORMAT = 3
/** The most large runs whose pages the index keeps. Each page takes several megabytes. */
const MOST_PAGES = 20
/** Other viewers may be writing to the same file. */
const BUSY_MS = 2000

/** What the index keeps of a run: its row without what depends on other runs or on the moment. */
export type IndexedRow = Omit<RunRow, 'key' | 'folder'>

/** What the page of a run shows. */
export type RunPages = Omit<ViewData, 'trials'>

/** One subject on one case in one run. */
export interface IndexedCell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly outcomes: string
  readonly hash: string
}

export interface CellOfRun extends IndexedCell {
  readonly path: string
}

const MEMORY = ':memory:'

export class RunIndex {
  readonly #db: DatabaseSync

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Opens the index in this file, or makes a new one. Null: in memory only. */
  static open(file: string | null): RunIndex {
    for (const attempt of ['use', 'replace'] as const) {
      if (file === null) break
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        if (attempt === 'replace')
          for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
        return new RunIndex(prepared(file))
      } catch {
        // The next attempt begins with a new file, and after that the index is in memory.
      }
    }
    return new RunIndex(prepared(MEMORY))
  }

  /** Returns the row of a run if its stamp is still the same. */
  row(path: string, stamp: string): IndexedRow | null {
    return this.#attempt(() => {
      const found = this.#db
        .prepare('SELECT row FROM runs WHERE path = ? AND stamp = ?')
        .get(path, stamp)
      return found === undefined ? null : (JSON.parse(String(found['row'])) as IndexedRow)
    })
  }

  put(path: string, stamp: string, row: IndexedRow, cells: Iterable<IndexedCell>): void {
    this.#attempt(() => {
      this.#db.exec('BEGIN IMMEDIATE')
      try {
        this.#db
          .prepare('INSERT OR REPLACE INTO runs (path, stamp, row) VALUES (?, ?, ?)')
          .run(path, stamp, JSON.stringify(row))
        this.#db.prepare('DELETE FROM cells WHERE path = ?').run(path)
        this.#db.prepare('DELETE FROM changes WHERE path = ?').run(path)
        const insert = this.#db.prepare('INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)')
        for (const { suite, case: one, subject, outcomes, hash } of cells)
          insert.run(path, suite, one, subject, outcomes, hash)
        this.#db.exec('COMMIT')
      } catch (error) {
        this.#db.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** Returns what changed between two runs, by subject. The key names the runs, the state of their files, and the suite. */
  changes(key: string): Readonly<Record<string, SuiteChange>> | null {
    return this.#attempt(() => {
      const found = this.#db.prepare('SELECT changes FROM changes WHERE key = ?').get(key)
      return found === undefined
        ? null
        : (JSON.parse(String(found['changes'])) as Record<string, SuiteChange>)
    })
  }

  /** `path` is the later run. Its changes are deleted when the run itself changes. */
  putChanges(key: string, path: string, changes: Readonly<Record<string, SuiteChange>>): void {
    this.#attempt(() =>
      this.#db
        .prepare('INSERT OR REPLACE INTO changes (key, path, changes) VALUES (?, ?, ?)')
        .run(key, path, JSON.stringify(changes)),
    )
  }

  /** Returns what the page of a run shows, if it was kept for this state of the run. */
  pages(path: string, stamp: string): RunPages | null {
    return this.#attempt(() => {
      const found = this.#db
        .prepare('SELECT pages FROM pages WHERE path = ? AND stamp = ?')
        .get(path, stamp)
      return found === undefined ? null : (JSON.parse(String(found['pages'])) as RunPages)
    })
  }

  putPages(path: string, stamp: string, pages: RunPages): void {
    this.#attempt(() => {
      this.#db
        .prepare('INSERT OR REPLACE INTO pages (path, stamp, pages) VALUES (?, ?, ?)')
        .run(path, stamp, JSON.stringify(pages))
      this.#db
        .prepare(
          'DELETE FROM pages WHERE rowid NOT IN (SELECT rowid FROM pages ORDER BY rowid DESC LIMIT ?)',
        )
        .run(MOST_PAGES)
    })
  }

  /** Returns the outcomes of a case in every run that the index has. */
  cellsOf(suite: string, one: string): CellOfRun[] {
    const found = this.#attempt(() =>
      this.#db
        .prepare(
          'SELECT path, suite, name, subject, outcomes, hash FROM cells WHERE suite = ? AND name = ?',
        )
        .all(suite, one),
    )
    return (found ?? []).map((row) => ({
      path: String(row['path']),
      suite: String(row['suite']),
      case: String(row['name']),
      subject: String(row['subject']),
      outcomes: String(row['outcomes']),
      hash: String(row['hash']),
    }))
  }

  close(): void {
    this.#db.close()
  }

  /**
   * Returns null if the database refuses, for example because another viewer is writing for too long. The caller then
   * reads the run folder.
   */
  #attempt<T>(work: () => T): T | null {
    try {
      return work()
    } catch {
      return null
    }
  }
}

/** Throws if the file is not an index of this version. */
function prepared(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF`)
    db.exec(`
      CREATE TABLE IF NOT EXISTS about (format INTEGER, tool TEXT);
      CREATE TABLE IF NOT EXISTS runs (path TEXT PRIMARY KEY, stamp TEXT, row TEXT);
      CREATE TABLE IF NOT EXISTS cells
        (path TEXT, suite TEXT, name TEXT, subject TEXT, outcomes TEXT, hash TEXT);
      CREATE TABLE IF NOT EXISTS changes (key TEXT PRIMARY KEY, path TEXT, changes TEXT);
      CREATE TABLE IF NOT EXISTS pages (path TEXT PRIMARY KEY, stamp TEXT, pages TEXT);
      CREATE INDEX IF NOT EXISTS change_paths ON changes (path);
      CREATE INDEX IF NOT EXISTS cell_names ON cells (suite, name);
      CREATE INDEX IF NOT EXISTS cell_paths ON cells (path);
    `)
    const about = db.prepare('SELECT format, tool FROM about').get()
    if (about === undefined)
      db.prepare('INSERT INTO about (format, tool) VALUES (?, ?)').run(FORMAT, VERSION)
    else if (about['format'] !== FORMAT || about['tool'] !== VERSION)
      throw new Error('the index was written by another version')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
