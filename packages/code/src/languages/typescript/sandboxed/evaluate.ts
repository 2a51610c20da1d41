/**
 * Runs the source of a test file, which the analyzer has turned into the body of a function. Its imports are passed
 * in: the solution, the test library, and Node's modules. Its timers end with it, so that nothing is left in a
 * process that tests many solutions.
 */
import { assertingWith, consoleForTests } from './framework/console.ts'
import { makeLibrary, type Clock, type Library } from './framework/library.ts'
import { explained } from './framework/shown.ts'
import { Registry } from './framework/suite.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export type Namespace = Record<string, unknown>

/** The solution's modules as tests see them. */
export interface Solution {
  /** Returns the module for an import specifier that is relative or is the solution's name. */
  module(specifier: string): { namespace: Namespace; common: boolean }
  /** Names that the main module exports. */
  readonly names: readonly string[]
}

export interface Surroundings {
  readonly clock: Clock | null
  /** Returns a Node module in the form that tests see. */
  builtin(specifier: string): object | undefined
  /** Called for each assertion, if they are counted. */
  readonly asserted?: () => void
}

const CONSOLES = new Set(['console', 'node:console'])

export interface Evaluated {
  readonly registry: Registry
  /** Why the file itself failed; null if it did not. */
  readonly failed: string | null
  /** The missing module that the file imports at top level; null if there is none. */
  readonly missing: string | null
  /** Stops timers that are still running. */
  dispose(): void
}

/** Names that are given to every test. Exports of a solution never replace them. */
const GIVEN = [
  'require',
  '__import',
  '__dynamic',
  '__meta',
  '__entry',
  'console',
  'exports',
  'module',
] as const
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'] as const

export async function evaluate(
  tests: PreparedTests,
  solution: Solution,
  surroundings: Surroundings,
): Promise<Evaluated> {
  const { clock } = surroundings
  const registry = new Registry()
  const asserted = surroundings.asserted ?? (() => {})
  const library = makeLibrary(registry, clock, asserted)
  const timers = clock === null ? trackedTimers() : null
  let failed: string | null = null
  let missing: string | null = null
  let unheld: string | null = null
  const check = assertingWith({
    asserted,
    failed(message) {
      // Without a solution every assertion fails, but the tests that follow must still be registered.
      if (solution === anything) return false
      unheld ??= message
      registry.stray(message)
      return true
    },
  })
  // This process only runs tests, so the global console is theirs too.
  if (clock === null) globalThis.console.assert = check
  const seen = consoleForTests(clock === null ? null : console, check)
  const builtin = (specifier: string): object | undefined =>
    CONSOLES.has(specifier) ? seen : surroundings.builtin(specifier)
  const outer: Record<string, unknown> = {
    ...library.globals,
    ...timers?.given,
    ...lookups(library, solution, { ...surroundings, builtin }),
    console: seen,
    exports: {},
    module: { exports: {} },
  }
  const main = solution.module('./solution').namespace
  // A solution's export must not hide a name that a test takes for granted.
  const free = solution.names.filter(
    (name) =>
      /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) &&
      !RESERVED.has(name) &&
      !tests.helpers.includes(name) &&
      !(name in outer) &&
      !(name in globalThis) &&
      // Passing in a value requests it from the solution, which would be counted as a use.
      (surroundings.asserted === undefined || tests.body.includes(name)),
  )
  const { entryPoint } = tests
  if (entryPoint !== null && !free.includes(entryPoint)) free.push(entryPoint)
  outer['__entry'] = entryPoint === null ? undefined : main[entryPoint]
  try {
    // The tests are the user's, and this process exists to run them.
    // oxlint-disable-next-line typescript/no-implied-eval
    const make = new Function(
      ...Object.keys(outer),
      `${tests.isSloppy ? '' : "'use strict';"}${tests.prelude}\nreturn (${free.join(',')}) => async () => {\n${tests.body}\n}`,
    ) as (...args: unknown[]) => (...args: unknown[]) => () => Promise<void>
    await make(...Object.values(outer))(...free.map((name) => main[name]))()
  } catch (error) {
    failed = explained(error)
    if (error instanceof NotThere && tests.imports.includes(error.specifier))
      missing = error.specifier
  }
  failed ??= unheld
  const isScript = tests.isScript && !registry.touched
  if (registry.names().length === 0 && (failed !== null || isScript)) {
    // A plain script is one test, which has already run. A file that does nothing or skips everything has no test.
    const outcome = failed
    failed = null
    registry.test(
      'script',
      () => {
        if (outcome !== null) throw new ScriptFailed(outcome)
      },
      {},
    )
  }
  return { registry, failed, missing, dispose: () => timers?.dispose() }
}

/** The tests import a module that does not exist. */
export class NotThere extends Error {
  override readonly name = 'Error'
  readonly specifier: string

  constructor(specifier: string) {
    super(`the tests import ${specifier}, which is not there`)
    this.specifier = specifier
  }
}

class ScriptFailed extends Error {
  override readonly name = 'AssertionError'
}

const RESERVED = new Set([
  ...GIVEN,
  ...TIMERS,
  ...'default arguments eval await yield let static enum implements interface package private protected public break case catch class const continue debugger delete do else export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with undefined'.split(
    ' ',
  ),
])

function lookups(
  library: Library,
  solution: Solution,
  surroundings: Surroundings,
): Record<string, unknown> {
  const namespaceOf = (specifier: string): Namespace => {
    const known = library.modules.get(specifier)
    if (known !== undefined) return known
    const node = builtin(specifier)
    if (node !== undefined) return { ...(node as Namespace), default: node }
    return solution.module(specifier).namespace
  }
  /** `require` for the test file. It returns our test library, not one that is installed elsewhere. */
  const require = (specifier: string): unknown => {
    const known = library.modules.get(specifier)
    if (known !== undefined) return known['default']
    const node = builtin(specifier)
    if (node !== undefined) return node
    const { namespace, common } = solution.module(specifier)
    return common ? namespace['default'] : namespace
  }
  const builtin = (specifier: string): object | undefined => {
    const node = surroundings.builtin(specifier)
    const isModule = specifier === 'module' || specifier === 'node:module'
    return isModule && node !== undefined ? { ...node, createRequire: () => require } : node
  }
  return {
    __import: namespaceOf,
    __dynamic: async (specifier: unknown) => namespaceOf(String(specifier)),
    __meta: {
      url: 'file:///tests/test.js',
      filename: '/tests/test.js',
      dirname: '/tests',
      main: false,
    },
    require,
  }
}

type Start = (callback: (...args: unknown[]) => void, ...rest: unknown[]) => unknown

function trackedTimers(): { given: Record<string, unknown>; dispose(): void } {
  const running = new Set<unknown>()
  const given = Object.fromEntries(
    TIMERS.map((name) => {
      const start = globalThis[name] as unknown as Start
      return [
        name,
        (callback: (...args: unknown[]) => void, ...rest: unknown[]) => {
          const timer: unknown = start(
            (...args: unknown[]) => {
              if (name !== 'setInterval') running.delete(timer)
              callback(...args)
            },
            ...rest,
          )
          running.add(timer)
          return timer
        },
      ]
    }),
  )
  return {
    given,
    dispose() {
      for (const timer of running) {
        clearTimeout(timer as NodeJS.Timeout)
        clearImmediate(timer as NodeJS.Immediate)
      }
    },
  }
}

/** A solution that returns itself for every operation. It is used to register tests without a solution. */
export const anything: Solution = (() => {
  const stub: unknown = new Proxy(function () {}, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return () => 0
      if (key === Symbol.iterator) return () => [][Symbol.iterator]()
      return key === 'then' || typeof key === 'symbol' ? undefined : stub
    },
    apply: () => stub,
    construct: () => stub as object,
  })
  return { module: () => ({ namespace: stub as Namespace, common: false }), names: [] }
})()
