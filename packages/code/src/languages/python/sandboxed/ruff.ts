/**
 * Runs the linter ruff in the sandbox. It reads sources from file descriptor 3 and writes findings to it. Comments
 * that would silence ruff (`# noqa`) are blanked first, and each one is reported as a finding. They are located with
 * ruff's own tokens. So text in a string is never taken for a comment.
 */
import { readFileSync, readSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type * as Ruff from '@astral-sh/ruff-wasm-nodejs'

export interface LintRequest {
  readonly files: Readonly<Record<string, string>>
  /**
   * The Python version that ruff should assume, for example `py311`. Without it, ruff could report the syntax of a
   * newer version as an error.
   */
  readonly target: string
}

export interface LintFinding {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly code: string
  readonly message: string
}

const PIPE = 3

const SILENCING =
  /#\s*(?:(?:ruff|flake8)\s*:\s*)?noqa\b|\btype:\s*ignore\b|\bpylint:\s*(?:disable|skip-file)|\b(?:pyright|mypy):\s*\S|\bruff:\s*(?:disable|ignore|file-ignore|noqa)/i

const workspaces = new Map<string, Ruff.Workspace>()

function workspaceFor(
  { Workspace, PositionEncoding }: typeof Ruff,
  target: string,
): Ruff.Workspace {
  const known = workspaces.get(target)
  if (known !== undefined) return known
  // Line length and all other settings are ruff's defaults.
  const made = new Workspace(
    { 'target-version': target, lint: { select: ['E', 'F'] } },
    PositionEncoding.Utf16,
  )
  workspaces.set(target, made)
  return made
}

/** Returns the source with every silencing comment blanked, and the positions of these comments. */
export function neutralise(
  source: string,
  tokens: (source: string) => string,
): { readonly source: string; readonly silenced: readonly { line: number; column: number }[] } {
  if (!SILENCING.test(source)) return { source, silenced: [] }
  const bytes = Buffer.from(source, 'utf8')
  const silenced: { line: number; column: number }[] = []
  for (const [, from, to] of tokens(source).matchAll(/^\s*Comment (\d+)\.\.(\d+)/gm)) {
    const [start, end] = [Number(from), Number(to)]
    if (!SILENCING.test(bytes.toString('utf8', start, end))) continue
    const before = bytes.toString('utf8', 0, start)
    const line = before.lastIndexOf('\n') + 1
    silenced.push({ line: before.split('\n').length, column: before.length - line + 1 })
    // The comment is replaced by another comment of the same length, so that positions and line lengths stay the
    // same.
    bytes.fill('#', start, start + 1)
    bytes.fill('.', start + 1, end)
  }
  return { source: bytes.toString('utf8'), silenced }
}

function lint(ruff: typeof Ruff, { files, target }: LintRequest): LintFinding[] {
  const workspace = workspaceFor(ruff, target)
  return Object.entries(files).flatMap(([file, text]) => {
    const { source, silenced } = neutralise(text, (all) => workspace.tokens(all))
    const found = workspace.check(source) as {
      readonly code: string | null
      readonly message: string
      readonly start_location: { readonly row: number; readonly column: number }
    }[]
    const all = [
      ...silenced.map((place) => ({
        file,
        ...place,
        code: 'silenced',
        message: 'a comment that would silence the checker',
      })),
      // Only findings of lint rules are kept. Python itself reports syntax errors.
      ...found
        .filter(({ code }) => code !== null && /^[EF]\d/.test(code))
        .map(({ code, message, start_location: { row, column } }) => ({
          file,
          line: row,
          column,
          code: code ?? '',
          message,
        })),
    ]
    const place = ({ line, column }: LintFinding): number => line * 1e6 + column
    return all.sort((a, b) => place(a) - place(b) || (a.code < b.code ? -1 : 1))
  })
}

function take(length: number): Buffer {
  const held = Buffer.allocUnsafe(length)
  for (let at = 0; at < length;) {
    const count = readSync(PIPE, held, at, length - at, null)
    if (count === 0) process.exit(0)
    at += count
  }
  return held
}

function send(message: unknown): void {
  const body = Buffer.from(JSON.stringify(message), 'utf8')
  const frame = Buffer.allocUnsafe(4 + body.length)
  frame.writeUInt32BE(body.length, 0)
  body.copy(frame, 4)
  for (let at = 0; at < frame.length;) at += writeSync(PIPE, frame, at)
}

interface Compiling {
  Module: new (bytes: Uint8Array) => object
}

/**
 * Loads ruff, which is a WebAssembly module. The package build may have compiled it in advance (build-ruff.ts). If
 * there is no compiled form, or V8 refuses it, V8 compiles each function when it is first called. V8 then uses only
 * its fast compiler, because optimizing would take more time than it saves.
 */
async function loadRuff(path: string, compiled: string | undefined): Promise<typeof Ruff> {
  const web = (globalThis as unknown as { readonly WebAssembly: Compiling }).WebAssembly
  const { Module } = web
  web.Module = function (bytes: Uint8Array): object {
    const known = compiled === undefined ? undefined : readCompiled(compiled, bytes)
    if (known !== undefined) return known
    setFlagsFromString('--liftoff-only')
    setFlagsFromString('--wasm-lazy-validation')
    return new Module(bytes)
  } as unknown as Compiling['Module']
  try {
    return (await import(pathToFileURL(path).href)) as typeof Ruff
  } finally {
    web.Module = Module
  }
}

/**
 * Returns the compiled module, or undefined if V8 refuses the file. V8's function for this is not part of JavaScript,
 * so it is called through its internal name.
 */
function readCompiled(path: string, bytes: Uint8Array): object | undefined {
  try {
    setFlagsFromString('--allow-natives-syntax')
    // oxlint-disable-next-line no-new-func, no-implied-eval
    const read = new Function('file', 'bytes', 'return %DeserializeWasmModule(file, bytes)') as (
      file: ArrayBufferLike,
      bytes: Uint8Array,
    ) => object | undefined
    setFlagsFromString('--no-allow-natives-syntax')
    const file = readFileSync(path)
    if (file.byteOffset !== 0 || file.buffer.byteLength !== file.length) return undefined
    return read(file.buffer, bytes)
  } catch {
    return undefined
  }
}

/**
 * The path of ruff's package, and the path of its compiled form if there is one. The host passes them as arguments,
 * because Node cannot look the package up in the sandbox.
 */
const [, , path, compiled] = process.argv
if (path !== undefined) {
  const ruff = await loadRuff(path, compiled)
  // The first run is slow, so lint a small file before any request arrives.
  lint(ruff, { files: { 'warm.py': 'import os\n\n\ndef f(x):\n    return x\n' }, target: 'py311' })
  send('ready')
  for (;;) {
    const request = JSON.parse(take(take(4).readUInt32BE(0)).toString('utf8')) as LintRequest
    send(lint(ruff, request))
  }
}
