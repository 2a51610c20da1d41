/**
 * Suites that are programs: a `.ts` or `.js` module whose default export is the suite, or a function that
 * returns it. It runs as the user, so it is loaded only where the caller says that the user named the file,
 * and in a process of its own, which has no key of Assay's.
 * TypeScript needs nothing but Node's own type stripping.
 */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { plainLines, type Json } from '@assay/contract'
import { moduleHint } from '../text/index.ts'
import { unplaced, type Document } from './document.ts'
import { isRecord, plainJson, type Fault } from './plain-value.ts'
import { escapeControls, fileError, formatPath, SuiteError } from './problem.ts'
import { readable } from './source.ts'

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs']
/** A module that waits for something at its top level must not hang the command. */
const TIMEOUT_MS = 60_000
/** Of what it exports. */
const MOST_BYTES = 512 * 1024 * 1024

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
  const reply = await loadModule(file, 'call', options.signal)
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
 * What a module exports that is data, without calling anything; null where it exports something else, or
 * fails. What fails here fails again when it is read, where it is reported.
 */
export async function exportedData(file: string): Promise<Json | null> {
  try {
    const reply = await loadModule(file, 'look')
    return reply.kind === 'value' ? reply.value : null
  } catch (error) {
    if (error instanceof SuiteError) return null
    throw error
  }
}

// ── The process in which it runs ─────────────────────────────────────────────────────────────────────

interface ModuleValue {
  readonly value: Json
  readonly faults: readonly Fault[]
}

/** What the process says of the module. */
export type ModuleReply =
  | ({ readonly kind: 'value' } & ModuleValue)
  /** It exports a function, which was not to be called. */
  | { readonly kind: 'function' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly reason: string }

// Next to this file, in the sources as in what is built from them.
const PROGRAM = fileURLToPath(
  new URL(`./module-process${path.extname(import.meta.url)}`, import.meta.url),
)

/** A project without a kind is fine: Node finds it out, and says at length that this takes a moment. */
const QUIET = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'

/** Modules that export data, which are looked at first and then read: they run once. */
const known = new Map<string, ModuleReply>()

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
  // Most commands read no module, and need not load this.
  const { diesWithUs, runProcess } = await import('@assay/sandbox')
  const ended = await runProcess({
    argv: [...diesWithUs(), process.execPath, QUIET, PROGRAM, ...words],
    input: '',
    cwd: process.cwd(),
    // The secret ones are not among them (environment/).
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
    // Handled as any other reply that cannot be used.
  }
  const how = ended.signal ?? `exit code ${ended.code}`
  return (
    readReply(said) ?? {
      kind: 'failed',
      reason: `it ended with ${how} before it exported anything`,
    }
  )
}

/** Null where it is no reply: a module can write to standard output itself, last of all. */
function readReply(said: unknown): ModuleReply | null {
  if (!isRecord(said)) return null
  const { kind, reason, value, faults } = said
  if (kind === 'function' || kind === 'nothing') return { kind }
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
