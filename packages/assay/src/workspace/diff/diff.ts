/**
 * Finds the differences between the start of a workspace and its final state. A stamp (fingerprint.ts) shows whether a
 * file was touched since it was copied. Only touched files are compared by content, and a file that was rewritten with
 * its old content does not count as changed. This runs after all programs in the workspace have ended. Links are not
 * followed.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  type BigIntStats,
} from 'node:fs'
import {
  type FileChange,
  type FileMode,
  type FolderChange,
  type WorkspaceDiff,
  plain,
} from '@assay/contract'
import { patcher, type Patcher } from './patch.ts'
import { unwatched } from './patterns.ts'
import { stampOf, type Stamps } from '../files/fingerprint.ts'
import { bitsOf, FOLDER_BITS } from '../files/location.ts'
import { textIn } from '../files/text-in.ts'
import { checkSize } from './too-large.ts'
import { walk } from '../files/walk.ts'

export interface DiffRequest {
  readonly folder: string
  /**
   * A stamp for each file, which shows whether it was touched. The stamps were read after the case's initial files were
   * copied and the subject's files were added.
   */
  readonly stamps: Stamps
  /**
   * The folder with the case's original files. `laid` describes the files that were added before the agent started: the
   * folder with their original content, and their paths.
   */
  readonly start: string
  readonly laid: { readonly folder: string; readonly paths: ReadonlySet<string> }
  readonly ignore: readonly string[]
  readonly protect: readonly string[]
}

/** A file or link, as it was before or after the agent's work. */
interface Side {
  readonly path: string
  readonly mode: FileMode
  readonly bytes: number
}

interface Difference {
  readonly path: string
  readonly before: Side | null
  readonly after: Side | null
}

const MOST_ODDITIES = 20

/**
 * Returns what changed in a workspace since its start. Throws `WorkspaceTooLarge` if the changes are too large to be
 * stored.
 */
export function diffWorkspace(request: DiffRequest): WorkspaceDiff {
  const oddities: string[] = []
  const unkept: string[] = []
  const { differences, folders, permissions } = find(request, (path, why) => {
    unkept.push(path)
    if (oddities.length < MOST_ODDITIES) oddities.push(plain(`${path}: ${why}`))
  })
  checkSize([
    ...differences.map(({ path, after }) => ({ path, bytes: after?.bytes ?? 0 })),
    ...unkept.map((path) => ({ path, bytes: 0 })),
    ...folders.map(({ path }) => ({ path, bytes: 0 })),
  ])
  const patches = patcher()
  const changes = differences
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((one) => changeOf(one, patches))
  // `unkept` lists entries that cannot be stored. The agent created all of them, because a copy of a start never
  // contains such entries.
  return {
    version: 1,
    changes,
    ...(folders.length === 0
      ? {}
      : { folders: folders.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }),
    ...(permissions.length === 0
      ? {}
      : {
          permissions: Object.fromEntries(permissions.toSorted(([a], [b]) => (a < b ? -1 : 1))),
        }),
    ...(unkept.length === 0 ? {} : { unkept: unkept.sort(), oddities }),
  }
}

interface Found {
  readonly differences: Difference[]
  readonly folders: readonly FolderChange[]
  readonly permissions: readonly (readonly [string, string])[]
}

function find(
  { folder, stamps, start, laid, ignore, protect }: DiffRequest,
  odd: (path: string, why: string) => void,
): Found {
  const leftOut = unwatched(ignore, protect)
  const startOf = (path: string): Side | null =>
    stamps.has(path) ? sideAt(`${laid.paths.has(path) ? laid.folder : start}/${path}`) : null
  const differences: Difference[] = []
  const seen = new Set<string>()
  const now = new Set<string>()
  const full = new Set<string>()
  const permissions: (readonly [string, string])[] = []
  const note = (path: string, { mode }: BigIntStats, usual: number): void => {
    const bits = Number(mode & 0o7777n)
    if (bits !== usual) permissions.push([path, bits.toString(8)])
  }
  const oddIn = (path: string, why: string): void => {
    full.add(parentOf(path))
    odd(path, why)
  }
  for (const { path, kind } of walk(folder, { skips: leftOut.fits, odd: oddIn })) {
    full.add(parentOf(path))
    const at = `${folder}/${path}`
    const stats = statsOf(at)
    if (kind === 'folder') {
      now.add(path)
      if (stats !== null && stamps.get(`${path}/`) !== stampOf(stats) && !leftOut.covers(path))
        note(path, stats, FOLDER_BITS)
      continue
    }
    if (stats === null) {
      odd(path, 'its path is too long')
      continue
    }
    seen.add(path)
    if (stamps.get(path) === stampOf(stats) || leftOut.covers(path)) continue
    const after = sideOf(at, stats)
    const before = startOf(path)
    if (after.mode !== '120000') note(path, stats, bitsOf(after.mode === '100755'))
    if (before === null || !isSame(before, after)) differences.push({ path, before, after })
  }
  for (const path of stamps.keys())
    if (!path.endsWith('/') && !seen.has(path) && !leftOut.covers(path))
      differences.push({ path, before: startOf(path), after: null })
  const folders = emptyFolders(stamps, now, full).filter(({ path }) => !leftOut.covers(path))
  return { differences, folders, permissions }
}

/** Returns the empty folders that are new, and the empty folders of the start that are gone. */
function emptyFolders(
  stamps: Stamps,
  now: ReadonlySet<string>,
  full: ReadonlySet<string>,
): FolderChange[] {
  const added = [...now].filter((path) => !full.has(path) && !stamps.has(`${path}/`))
  const before = [...stamps.keys()]
  const gone = before.flatMap((key) => {
    const path = key.slice(0, -1)
    return key.endsWith('/') && path !== '' && !now.has(path) ? [path] : []
  })
  const fullBefore = gone.length === 0 ? new Set<string>() : new Set(before.map(parentOfKey))
  return [
    ...added.map((path) => ({ path, change: 'added' as const })),
    ...gone
      .filter((path) => !fullBefore.has(path))
      .map((path) => ({ path, change: 'deleted' as const })),
  ]
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Returns the parent of a path. A slash at the end, which marks a folder, is ignored. */
const parentOfKey = (key: string): string => parentOf(key.endsWith('/') ? key.slice(0, -1) : key)

function changeOf({ path, before, after }: Difference, patches: Patcher): FileChange {
  const old = before === null ? null : contentOf(before)
  const now = after === null ? null : contentOf(after)
  const change = after === null ? 'deleted' : before === null ? 'added' : 'changed'
  const isShown = (old === null || 'text' in old) && (now === null || 'text' in now)
  const [oldText, newText] = [textOf(old), textOf(now)]
  const patch = isShown && oldText !== newText ? patches.patch(oldText, newText) : null
  return {
    path,
    change,
    ...(before === null ? {} : { modeBefore: before.mode }),
    ...(after === null ? {} : { mode: after.mode }),
    ...now,
    ...(patch === null ? {} : { patch }),
  }
}

// ── One file ─────────────────────────────────────────────────────────────────────────────────────────

type Content = { readonly text: string } | { readonly base64: string }

const textOf = (content: Content | null): string =>
  content !== null && 'text' in content ? content.text : ''

function statsOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return null
    throw error
  }
}

function sideAt(path: string): Side | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : sideOf(path, stats)
}

function sideOf(path: string, stats: BigIntStats): Side {
  const mode = stats.isSymbolicLink()
    ? '120000'
    : (stats.mode & 0o100n) === 0n
      ? '100644'
      : '100755'
  return { path, mode, bytes: Number(stats.size) }
}

function contentOf(side: Side): Content {
  const bytes = bytesOf(side)
  const text = textIn(bytes)
  return text === null ? { base64: bytes.toString('base64') } : { text }
}

function bytesOf({ path, mode }: Side): Buffer {
  if (mode === '120000') return readlinkSync(path, { encoding: 'buffer' })
  const file = openToRead(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const CHUNK_BYTES = 256 * 1024
const chunks = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)] as const

/** Compares two files piece by piece, so that a large file is never in memory as a whole. */
function isSame(before: Side, after: Side): boolean {
  if (before.mode !== after.mode || before.bytes !== after.bytes) return false
  if (before.mode === '120000') return bytesOf(before).equals(bytesOf(after))
  const files = [openToRead(before.path), openToRead(after.path)] as const
  try {
    for (;;) {
      const [one, other] = [fill(files[0], chunks[0]), fill(files[1], chunks[1])]
      if (!one.equals(other)) return false
      if (one.length === 0) return true
    }
  } finally {
    for (const file of files) closeSync(file)
  }
}

function fill(file: number, chunk: Buffer): Buffer {
  let length = 0
  while (length < chunk.length) {
    const read = readSync(file, chunk, length, chunk.length - length, null)
    if (read === 0) break
    length += read
  }
  return chunk.subarray(0, length)
}

/** Opens a file for reading. If the agent removed the permission to read it, the permission is restored first. */
function openToRead(path: string): number {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  let file: number
  try {
    file = openSync(path, flags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    chmodSync(path, 0o600)
    file = openSync(path, flags)
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error(`${path} is not a file any more`)
}
