/**
 * Reads suites that are programs: a `.ts` or `.js` module whose default export is the suite, or is a function that
 * returns the suite. A module runs with the user's rights. So it is loaded only if the caller says that the user named
 * the file, and it runs in a separate process without Assay's API keys. TypeScript modules need only Node's own type
 * stripping.
 */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { plainLines, type Json } from '@assay/contract'
import { moduleHint } from '../text/index.ts'
import { unplaced, type Document } from './document.ts'
import { isRecord, plainJson, type Fault } from './plain-value.ts'
import { MODULE_FLAGS } from '../pool/index.ts'
import { escapeControls, fileError, formatPath, SuiteError } from './problem.ts'
import { readable } from './source.ts'

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs']
/**
 * The time limit for loading a module. Without it, a module that waits forever at its top level would hang the command.
 */
const TIMEOUT_MS = 60_000
/** The maximum size of the exported data. */
const MOST_BYTES = 512 * 1024 * 1024

export const isModulePath = (file: string): boolean =>
  EXTENSIONS.includes(path.extname(file).toLowerCase())

/**
 * Whether a file has the usual name of a suite with functions, such as `dates.eval.ts`. Modules with other names may
 * have functions too.
 */
export const isEvalPath = (file: string): boolean => /\.eval\.m?[jt]s$/i.test(file)

export interface ModuleOptions {
  readonly allowed: boolean
  readonly signal?: AbortSignal
}

/**
 * Returns the suite that a module exports. Null if the suite contains functions, because these cannot be turned into
 * data.
 */
export async function readModule(file: string, options: ModuleOptions): Promise<Document | null> {
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
  if (isEvalPath(file)) return null
  const reply = await loadModule(file, 'call', options.signal)
  if (reply.kind === 'functions') return null
  if (reply.kind === 'value') return documentOf(file, reply)
  if (reply.kind === 'failed')
    throw fileError(
      file,
      `a module that fails: ${escapeControls(reply.reason).slice(0, 500)}${moduleHint(escapeControls(file), reply.reason)}`,
      'a module that loads',
    )
  throw fileError(file, 'no default export', 'the suite as default export')
}

function documentOf(file: string, { value, faults }: ModuleValue): Document {
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

/**
 * Returns the data that a module exports, without calling an exported function. Null if it exports anything else or
 * fails. A failure is not reported here, because it occurs again when the module is read, and is reported then.
 */
export async function exportedData(file: string): Promise<Json | null> {
  if (isEvalPath(file)) return null
  try {
    const reply = await loadModule(file, 'look')
    return reply.kind === 'value' ? reply.value : null
  } catch (error) {
    if (error instanceof SuiteError) return null
    throw error
  }
}

// ── The process in which the module runs ─────────────────────────────────────────────────────────────

interface ModuleValue {
  readonly value: Json
  readonly faults: readonly Fault[]
}

/** The reply that the process prints about the module. */
export type ModuleReply =
  | ({ readonly kind: 'value' } & ModuleValue)
  /** The module exports a function, but the caller did not ask to call it. */
  | { readonly kind: 'function' }
  /** The module exports a suite that contains functions, which cannot be sent as data. */
  | { readonly kind: 'functions' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly reason: string }

// The program of the separate process. It is in the same folder as this file, both in the sources and in the build.
const PROGRAM = fileURLToPath(
  new URL(`./module-process${path.extname(import.meta.url)}`, import.meta.url),
)

/**
 * The replies of modules that export data. A module is first inspected and later read. The reply is kept here, so that
 * the module runs only once.
 */
const known = new Map<string, ModuleReply>()

/** Forgets the replies of modules, so that changed files are loaded again. */
export const forgetModules = (): void => known.clear()

async function loadModule(
  file: string,
  how: 'look' | 'call',
  signal = new AbortController().signal,
): Promise<ModuleReply> {
  signal.throwIfAborted()
  const address = pathToFileURL(path.resolve(file)).href
  const before = known.get(address)
  if (before !== undefined) return before
  const reply = await askProcess(file, [address, how], signal)
  if (reply.kind === 'value' && how === 'look') known.set(address, reply)
  return reply
}

async function askProcess(
  file: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<ModuleReply> {
  // This module is loaded only here, because most commands read no module.
  const { diesWithUs, runProcess } = await import('@assay/sandbox')
  const ended = await runProcess({
    argv: [...diesWithUs(), process.execPath, ...MODULE_FLAGS, PROGRAM, ...words],
    input: '',
    cwd: process.cwd(),
    // Secret variables are not in it, because the code in environment/ has already removed them.
    env: process.env as Record<string, string>,
    timeoutMs: TIMEOUT_MS,
    mostBytes: MOST_BYTES,
    signal,
  })
  const printed = ended.stderr.toString('utf8')
  if (printed !== '') process.stderr.write(plainLines(printed))
  if (ended.how === 'timeout')
    throw fileError(
      file,
      'a module that does not end',
      `one that ends within ${TIMEOUT_MS / 1000} s`,
    )
  let said: unknown = null
  try {
    said = JSON.parse(ended.stdout.toString('utf8').trimEnd().split('\n').at(-1) ?? '')
  } catch {
    // Text that is not JSON is handled below, like any other reply that cannot be used.
  }
  const how = ended.signal ?? `exit code ${ended.code}`
  return (
    readReply(said) ?? {
      kind: 'failed',
      reason: `it ended with ${how} before it exported anything`,
    }
  )
}

/**
 * Checks a reply of the process that loads the module. Null if the value is not a reply, for instance because the
 * module itself wrote to standard output.
 */
function readReply(said: unknown): ModuleReply | null {
  if (!isRecord(said)) return null
  const { kind, reason, value, faults } = said
  if (kind === 'function' || kind === 'functions' || kind === 'nothing') return { kind }
  if (kind === 'failed') return typeof reason === 'string' ? { kind, reason } : null
  if (kind !== 'value' || !Array.isArray(faults) || !faults.every(isFault)) return null
  const plain = plainJson(value ?? null)
  return { kind, value: plain.value, faults: [...faults, ...plain.faults] }
}

function isFault(fault: unknown): fault is Fault {
  if (!isRecord(fault)) return false
  const { path: at, found, expected } = fault
  return (
    Array.isArray(at) &&
    at.every((step) => typeof step === 'string' || typeof step === 'number') &&
    typeof found === 'string' &&
    typeof expected === 'string'
  )
}
