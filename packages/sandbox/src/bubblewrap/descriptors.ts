/**
 * File descriptors that bubblewrap gets in addition to a program's pipes: unnamed files, and /dev/null in place
 * of each descriptor that this process inherited but does not use.
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

/** Opens a file that has no name, so that no other process can open it. */
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

/**
 * Makes a folder for an unnamed file. It is in memory if possible, because closing an unnamed file on a disk
 * takes milliseconds.
 */
function newFolder(): string {
  try {
    return makeOwnedFolder('assay', MEMORY_FOLDER)
  } catch {
    return makeOwnedFolder('assay')
  }
}

/**
 * Opens the same file again, at its beginning. A duplicated descriptor would share the read position of the
 * original.
 */
export const reopen = (descriptor: number): number => openSync(`/proc/self/fd/${descriptor}`, 'r')

/** Returns a descriptor from which the text can be read once. */
export function openText(text: string): number {
  const written = openNameless(Buffer.from(text))
  try {
    return reopen(written)
  } finally {
    closeSync(written)
  }
}

/** Reads the beginning of the file. The write position of the process that writes the file does not matter. */
export function readBeginning(descriptor: number): string {
  const bytes = Buffer.alloc(512)
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
}

const CLOSES_ON_EXEC = 0o2_000_000
/** The first descriptor to look at. The three standard descriptors 0 to 2 are always replaced. */
const FIRST = 3
/** The last descriptor to look at. A higher number would make the child's list of descriptors too long. */
const LAST = 4095

/**
 * Returns the descriptors that every program started by this process would inherit: those that a shell, `make` or
 * a test runner left open in it. Node closes its own descriptors in its children.
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
    // `readdirSync` had this descriptor open only while it read the list.
    return false
  }
}

/**
 * Returns the descriptors of a child: the given ones in order, and /dev/null in place of each inherited one.
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

/**
 * Makes a stream blocking for the program that gets it. Node sets its streams to non-blocking, which programs do
 * not expect.
 */
function blocking(stream: Duplex): Duplex {
  // Node offers no public way to do this.
  // oxlint-disable-next-line no-underscore-dangle
  ;(stream as unknown as Blocking)._handle?.setBlocking?.(true)
  return stream
}

/** Returns the first descriptors of a program: the standard three, its pipes, and the pipes handed to it. */
export const standing = ({ pipes, handed, isQuiet }: Program): ('pipe' | 'ignore' | Duplex)[] => [
  ...(isQuiet === true
    ? (['ignore', 'ignore', 'pipe'] as const)
    : (['pipe', 'pipe', 'pipe'] as const)),
  ...Array.from({ length: pipes }, () => 'pipe' as const),
  ...(handed ?? []).map(blocking),
]

export function closeAll(descriptors: Iterable<number>): void {
  for (const descriptor of descriptors) closeSync(descriptor)
}
