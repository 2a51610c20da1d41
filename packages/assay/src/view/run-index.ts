/**
 * An index of run folders in SQLite. Without it, a list of hundreds of runs would have to read hundreds of logs. The
 * index contains nothing that is not in the folders. An entry is used only if the folder's files are still in the
 * state from which the entry was made. The index is in the user's cache and never in a run folder, because a run
 * folder may come from another person. If the index cannot be opened, is damaged, or was written by another version,
 * it is deleted. If that fails too, an index in memory replaces it.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunRow, SuiteChange, ViewData } from '../report/view-data/index.ts'
import { VERSION } from '../version.ts'

/** The file name of the index in the user's cache. */
export const INDEX_FILE = 'workbench.sqlite'

/**
 * The version of the index. It must be increased when the contents of the index change, so that old files are not
 * used.
 */
const FORMAT = 4
/** The limit on the large runs whose pages the index keeps. The pages of one run take several megabytes. */
const MOST_PAGES = 20
/** How long to wait while another viewer writes to the same file. */
const BUSY_MS = 2000

/**
 * What the index stores about a run: its row, without the parts that depend on other runs or on the time of the
 * request.
 */
export type IndexedRow = Omit<RunRow, 'key' | 'folder'>

/** The data that the page of a run shows. */
export type RunPages = Omit<ViewData, 'trials'>

/** The outcomes of one subject on one case in one run. */
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

  /** Opens the index in this file, or creates a new one. If `file` is null, the index is only in memory. */
  static open(file: string | null): RunIndex {
    for (const attempt of ['use', 'replace'] as const) {
      if (file === null) break
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        if (attempt === 'replace')
          for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
        return new RunIndex(prepared(file))
      } catch {
        // The first attempt uses the existing file. The second attempt begins with a new file. If that fails too,
        // the index is in memory.
      }
    }
    return new RunIndex(prepared(MEMORY))
  }

  /** Returns the row of a run. Null if the state of its files has changed since the row was stored. */
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

  /**
   * Returns what changed between two runs, by subject. The key consists of the runs, the state of their files, and
   * the suite.
   */
  changes(key: string): Readonly<Record<string, SuiteChange>> | null {
    return this.#attempt(() => {
      const found = this.#db.prepare('SELECT changes FROM changes WHERE key = ?').get(key)
      return found === undefined
        ? null
        : (JSON.parse(String(found['changes'])) as Record<string, SuiteChange>)
    })
  }

  /**
   * Stores what changed between two runs. `path` is the later run. When that run changes, the stored changes are
   * deleted.
   */
  putChanges(key: string, path: string, changes: Readonly<Record<string, SuiteChange>>): void {
    this.#attempt(() =>
      this.#db
        .prepare('INSERT OR REPLACE INTO changes (key, path, changes) VALUES (?, ?, ?)')
        .run(key, path, JSON.stringify(changes)),
    )
  }

  /** Returns the data that the page of a run shows. Null if the index does not have it for this state of the run. */
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

  /** Returns the outcomes of a case in every run of the index. */
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
   * Calls `work`. Returns null if the database fails, for example because another viewer writes for too long. The
   * caller then reads the run folder instead.
   */
  #attempt<T>(work: () => T): T | null {
    try {
      return work()
    } catch {
      return null
    }
  }
}

/** Opens the file and prepares it. Throws if it is not an index of this version. */
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
