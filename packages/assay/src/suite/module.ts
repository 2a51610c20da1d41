/**
 * Suites that are programs: a `.ts` or `.js` module whose default export is the suite, or a function that
 * returns it. It runs as the user, so it is loaded only where the caller says that the user named the file.
 * TypeScript needs nothing but Node's own type stripping.
 */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { unplaced } from './document.ts'
import type { Document } from './document.ts'
import { plainJson } from './plain.ts'
import { escapeControls, fileError, formatPath, SuiteError } from './problem.ts'
import { readable } from './source.ts'

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs']
/** A module that waits for something at its top level must not hang the command. */
const TIMEOUT_MS = 60_000

export const isModulePath = (file: string): boolean =>
  EXTENSIONS.includes(path.extname(file).toLowerCase())

export interface ModuleOptions {
  readonly allowed: boolean
  readonly signal?: AbortSignal
}

export async function readModule(file: string, options: ModuleOptions): Promise<Document> {
  if (!options.allowed)
    throw fileError(
      file,
      'a suite that is a program',
      'a .toml, .yaml or .json suite, or this file named on the command line or in assay.toml, ' +
        'because it runs with your rights',
    )
  await stat(file).catch((error: unknown) => {
    throw readable(file, error)
  })
  const exported = await withDeadline(file, options.signal, () => runModule(file))
  const { value, faults } = plainJson(exported)
  if (faults.length > 0)
    throw new SuiteError(
      faults.map(({ path: at, found, expected }) => ({
        file,
        line: null,
        column: null,
        found,
        expected,
        message: `${formatPath(at)}: expected ${expected}, found ${found}`,
      })),
    )
  return unplaced(file, value)
}

async function runModule(file: string): Promise<unknown> {
  try {
    const url = pathToFileURL(path.resolve(file)).href
    const loaded: unknown = await import(/* @vite-ignore */ url)
    const suite: unknown =
      typeof loaded === 'object' && loaded !== null && 'default' in loaded
        ? loaded.default
        : undefined
    if (suite === undefined)
      throw fileError(file, 'no default export', 'the suite as default export')
    return typeof suite === 'function' ? await (suite as () => unknown)() : suite
  } catch (error) {
    if (error instanceof SuiteError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw fileError(
      file,
      `a module that fails: ${escapeControls(reason).slice(0, 500)}`,
      'a module that loads',
    )
  }
}

async function withDeadline<T>(
  file: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const stopped = new Promise<never>((_, reject) => {
    const expected = `one that ends within ${TIMEOUT_MS / 1000} s`
    timer = setTimeout(
      () => reject(fileError(file, 'a module that does not end', expected)),
      TIMEOUT_MS,
    )
    stop = () => reject(signal?.reason as Error)
    signal?.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work(), stopped])
  } finally {
    clearTimeout(timer)
    if (stop !== undefined) signal?.removeEventListener('abort', stop)
  }
}
