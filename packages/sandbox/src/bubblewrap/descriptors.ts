/**
 * The file descriptors that bubblewrap gets in addition to a program's pipes. Some are unnamed files. The others are
 * `/dev/null`, which replaces each descriptor that this process inherited but does not use, so that the program
 * cannot use it.
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
 * Makes a folder for an unnamed file. The folder is in memory if possible, because closing an unnamed file on a disk
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
 * Opens the same file again, at its beginning. Duplicating the descriptor would not be enough: the copy would share
 * the read position of the original.
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

/**
 * Reads a file from its beginning. Reading and writing positions do not matter, so another process may still write to
 * it.
 */
export function readBeginning(descriptor: number): string {
  const bytes = Buffer.alloc(512)
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
}

const CLOSES_ON_EXEC = 0o2_000_000
/** The first descriptor to check. The standard descriptors 0 to 2 are always replaced, so they are not checked. */
const FIRST = 3
/** The last descriptor to check. With a higher number, the list of descriptors for the child would be too long. */
const LAST = 4095

/**
 * Returns the descriptors that every child of this process would inherit: those that a shell, `make` or a test runner
 * left open when it started Assay. Descriptors that Node opened are not among them, because children do not inherit
 * them.
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
    // The list contains the descriptor with which `readdirSync` read the list. It is closed by now.
    return false
  }
}

/**
 * Returns the list of a child's descriptors: the given ones in order, and `/dev/null` in place of each inherited one.
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
  // This uses a private field of Node, because Node has no public function for it.
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
