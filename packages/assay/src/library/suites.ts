/** Loads suites for programs: from files, or from plain objects, with or without functions. */
import path from 'node:path'
import type { Suite } from '@assay/contract'
import { hasFunctions, plainJson, SuiteError, formatPath } from '../documents/index.ts'
import { localHost, type FunctionSuite } from '../functions/index.ts'
import { functionGrader, graders } from '../grade/index.ts'
import { loadSuite as load, readHosted, readObject, type LoadedSuite } from '../suite/index.ts'

/** A suite as an object, with the same content as a JSON suite file. */
export interface SuiteObject {
  readonly id?: string
  readonly cases?: readonly unknown[]
  readonly [key: string]: unknown
}

export interface LoadSuiteOptions {
  /** Whether a suite that is a program (`.ts`, `.js`) may run. It runs with your permissions. */
  readonly allowModules?: boolean
  /**
   * The folder to which the paths in a suite are relative, if the suite is an object. Default: the working
   * directory.
   */
  readonly folder?: string
  readonly signal?: AbortSignal
}

/**
 * Reads a suite in any format that Assay knows, or a suite that is an object. The functions of an object are called
 * in this process. A suite that is a program (`.ts`, `.js`) runs with your permissions, so it is loaded only if the
 * options allow it. Its functions are called in a separate process.
 *
 * @example
 * const { suite, warnings } = await loadSuite('suite.toml')
 */
export async function loadSuite(
  // oxlint-disable-next-line typescript/no-explicit-any
  source: string | SuiteObject | FunctionSuite<any, any>,
  options: LoadSuiteOptions = {},
): Promise<LoadedSuite> {
  const { folder = '.', ...rest } = options
  const loading = { graders, functionGraders: [functionGrader], ...rest }
  if (typeof source === 'string') return await load(source, loading)
  // Error messages name the object as if it were a file in the folder.
  const place = path.join(folder, 'suite object')
  const given: unknown = source
  const own = { ...loading, fallbackId: 'suite' }
  if (hasFunctions(given)) return await readHosted(await localHost(given), place, own)
  const { value, faults } = plainJson(given)
  if (faults.length > 0)
    throw new SuiteError(
      faults.map(({ path: at, found, expected }) => ({
        ...{ file: place, line: null, column: null, found, expected },
        message: `${formatPath(at)}: expected ${expected}, found ${found}`,
      })),
    )
  return await readObject(value, place, own)
}

export type AnySuite =
  | string
  | Suite
  | LoadedSuite
  | SuiteObject
  // oxlint-disable-next-line typescript/no-explicit-any
  | FunctionSuite<any, any>

/** Returns the suite for a file, for an object or for a result of `loadSuite`. */
export async function suiteOf(source: AnySuite, options: LoadSuiteOptions): Promise<Suite> {
  if (isLoaded(source)) return source.suite
  return isSuite(source) ? source : (await loadSuite(source as SuiteObject, options)).suite
}

const isLoaded = (source: AnySuite): source is LoadedSuite =>
  typeof source === 'object' && 'suite' in source && 'warnings' in source

const isSuite = (source: AnySuite): source is Suite =>
  typeof source === 'object' && 'hash' in source && 'cases' in source && 'format' in source
