/**
 * Descriptors that are handed to bubblewrap beside a program's pipes: files without a name, and what hides
 * those that this process was started with and never asked for.
 */
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { makeOwnedFolder, MEMORY_FOLDER } from '../owned-folder.ts'
import type { Program } from '../sandbox.ts'

/** A descriptor of a file that nobody else can open. */
export function openNameless(content?: Buffer): number {
  const folder = newFolder()
  const path = join(folder, 'nameless')
  try {
    const descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    if (content !== undefined) writeSync(descriptor, content)
    return descriptor
  } finally {
    rmdirSync(folder)
  }
}

/** In memory where that is possible: to give up a file on a disk takes milliseconds. */
function newFolder(): string {
  try {
    return makeOwnedFolder('assay', MEMORY_FOLDER)
  } catch {
    return makeOwnedFolder('assay')
  }
}

/** The same file, to be read from its beginning: a descriptor shares the place where its reader stands. */
export const reopen = (descriptor: number): number => openSync(`/proc/self/fd/${descriptor}`, 'r')

/** A descriptor from which the text can be read, once. */
export function openText(text: string): number {
  const written = openNameless(Buffer.from(text))
  try {
    return reopen(written)
  } finally {
    closeSync(written)
  }
}

/** The beginning of the file, wherever its writer stands. */
export function readBeginning(descriptor: number): string {
  const bytes = Buffer.alloc(512)
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
}

const CLOSES_ON_EXEC = 0o2_000_000
/** The standard three are always replaced. */
const FIRST = 3
/** Each costs a place in a list. */
const LAST = 4095

/**
 * Descriptors that every program started from here would inherit: what a shell, `make` or a test runner
 * left open for this process. Node's own are closed in its children.
 */
export function strayDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST && descriptor <= LAST && isInherited(descriptor))
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0
  } catch {
    // The one that the list was read with.
    return false
  }
}

/**
 * What a child gets as its descriptors: these in their places, and in the place of each stray one a
 * descriptor of nothing.
 */
export function placed<T>(
  wanted: readonly T[],
  strays: readonly number[],
  nothing: number,
): (T | number | 'ignore')[] {
  const places: (T | number | 'ignore')[] = [...wanted]
  for (const stray of strays) {
    while (places.length < stray) places.push('ignore')
    if (places.length === stray) places.push(nothing)
    else if (stray >= wanted.length) places[stray] = nothing
  }
  return places
}

interface Blocking {
  readonly _handle?: { readonly setBlocking?: (blocking: boolean) => void } | null
}

/** Streams of this process wait in its event loop; a program that gets one waits in a read. */
function blocking(stream: Duplex): Duplex {
  // Node has no other way to this.
  // oxlint-disable-next-line no-underscore-dangle
  ;(stream as unknown as Blocking)._handle?.setBlocking?.(true)
  return stream
}

/** What a program gets as its first descriptors: the standard three, its pipes, what is handed to it. */
export const standing = ({ pipes, handed, isQuiet }: Program): ('pipe' | 'ignore' | Duplex)[] => [
  ...(isQuiet === true
    ? (['ignore', 'ignore', 'pipe'] as const)
    : (['pipe', 'pipe', 'pipe'] as const)),
  ...Array.from({ length: pipes }, () => 'pipe' as const),
  ...(handed ?? []).map(blocking),
]

/** Closes them all. */
export function closeAll(descriptors: Iterable<number>): void {
  for (const descriptor of descriptors) closeSync(descriptor)
}
