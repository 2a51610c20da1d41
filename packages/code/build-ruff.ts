/**
 * * Compiles ruff's WebAssembly in advance. V8 otherwise compiles each function when ruff first calls it, which takes
 *   four times as long as starting Node. V8 has functions to write and read compiled WebAssembly, but they are not part
 *   of JavaScript. V8 refuses the file if the version of V8, its flags or the processor differ from those of this
 *   build. Functions of ruff that are not called during this build are compiled when they are first called.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type * as Ruff from '@astral-sh/ruff-wasm-nodejs'
import { compiledName } from './src/languages/python/host/lint.ts'

/** Code with mistakes for the rules to find, in addition to the programs that are linted. */
const MISTAKES = [
  'import os, sys\nfrom a import *\nl = 1\nif x == None: pass\nif not a in b: pass\n',
  'def f():\n    x = 1\n    try:\n        pass\n    except:\n        lambda: y\n    return "%s" % 1, f"a", {1: 1, 1: 2}\n',
  'def g(a, a): return undefined\n\n\n\nclass A: \n  def f(self): return self \n',
  'def broken(:\n',
  `x = "${'long '.repeat(30)}"  # noqa\n`,
]

/** Writes the compiled module to the folder, unless it is there. `programs` is a folder of Python programs. */
export function compileRuff(folder: string, programs: string): void {
  const name = compiledName()
  if (name === null) throw new Error('ruff is not installed')
  if (existsSync(join(folder, name))) return
  for (const other of readdirSync(folder))
    if (other.endsWith('.compiled')) rmSync(join(folder, other))
  const { WebAssembly: web } = globalThis as unknown as {
    readonly WebAssembly: { Module: new (bytes: Uint8Array) => object }
  }
  const { Module } = web
  let compiled: object | null = null
  // V8 can write only the code of its optimizing compiler. So the other compiler (Liftoff) is switched off, and only
  // functions that are called are compiled.
  setFlagsFromString('--no-liftoff')
  setFlagsFromString('--wasm-lazy-compilation')
  web.Module = function (bytes: Uint8Array): object {
    return (compiled = new Module(bytes))
  } as unknown as typeof Module
  const { Workspace, PositionEncoding } = createRequire(import.meta.url)(
    '@astral-sh/ruff-wasm-nodejs',
  ) as typeof Ruff
  web.Module = Module
  const options = { 'target-version': 'py311', lint: { select: ['E', 'F'] } }
  const workspace = new Workspace(options, PositionEncoding.Utf16)
  const sources = readdirSync(programs)
    .filter((file) => file.endsWith('.py'))
    .map((file) => readFileSync(join(programs, file), 'utf8'))
  for (const source of [...sources, ...MISTAKES]) {
    workspace.check(source)
    workspace.tokens(source.slice(0, 500))
  }
  // V8 stores its flags in the file and later refuses the file if the flags differ. So set the flags of the program
  // that will read it.
  setFlagsFromString('--liftoff')
  setFlagsFromString('--allow-natives-syntax')
  // oxlint-disable-next-line no-new-func, no-implied-eval
  const write = new Function('module', 'return %SerializeWasmModule(module)') as (
    module: object | null,
  ) => ArrayBuffer | undefined
  setFlagsFromString('--no-allow-natives-syntax')
  const bytes = write(compiled)
  if (bytes === undefined) throw new Error('V8 does not write compiled WebAssembly')
  writeFileSync(join(folder, name), Buffer.from(bytes))
}
