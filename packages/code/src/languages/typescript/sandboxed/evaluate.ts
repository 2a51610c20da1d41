/**
 * Runs a test file, which the analyzer has turned into the body of a function. The modules that the file imports are
 * passed in: the solution, the test library, and Node's modules. When the tests have ended, their timers are stopped.
 * Otherwise they would keep running in a process that tests many solutions.
 */
import { assertingWith, consoleForTests } from './framework/console.ts'
import type { Chai } from './framework/chai.ts'
import { makeLibrary, type Library } from './framework/library.ts'
import { explained } from './framework/shown.ts'
import { Registry } from './framework/suite.ts'
import type { InProcess } from './framework/vi.ts'
import type { Packages } from './packages.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export type Namespace = Record<string, unknown>

/** The solution's modules as tests see them. */
export interface Solution {
  /** Returns the module for an import specifier that is a relative path or the solution's name. */
  module(specifier: string): { namespace: Namespace; common: boolean }
  /** Names that the main module exports. */
  readonly names: readonly string[]
}

export interface Surroundings {
  /** Features that work only if the tests run in the solution's process; null if they run in another process. */
  readonly beside: InProcess | null
  /** Returns the Node module that tests get for this specifier. */
  builtin(specifier: string): object | undefined
  /** Called for each assertion, to count it. Set only if assertions are counted. */
  readonly asserted?: () => void
  /** Called before each assertion, to restore built-ins that the solution has changed. */
  readonly before?: () => void
  /** The chai library, if it was loaded before the solution could change it. */
  readonly chai?: Chai | null
  /** The packages that the tests import. */
  readonly packages: Packages
  /** Returns the mock of a module; undefined if the module is not mocked. */
  readonly mocked?: (specifier: string) => Namespace | undefined
  /** Loads the solution. Set if the tests mock modules of the solution: the mocks must be registered first. */
  readonly load?: () => Promise<Solution>
}

const CONSOLES = new Set(['console', 'node:console'])

export interface Evaluated {
  readonly registry: Registry
  /** Why the test file itself failed; null if it did not. */
  readonly failed: string | null
  /** The missing module that the test file imports at top level; null if there is none. */
  readonly missing: string | null
  /** Stops timers that are still running. */
  dispose(): void
}

/** Names that are defined for every test file. Exports of a solution never replace them. */
const GIVEN = [
  'require',
  '__import',
  '__dynamic',
  '__meta',
  '__entry',
  '__ready',
  '__should',
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
  const { beside } = surroundings
  const registry = new Registry()
  const asserted = surroundings.asserted ?? (() => {})
  const library = makeLibrary({
    registry,
    beside,
    asserted,
    before: surroundings.before,
    assert: () => surroundings.builtin('node:assert') ?? {},
    chai: surroundings.chai ?? null,
  })
  const isApart = surroundings.load === undefined && beside === null
  const timers = isApart || solution === anything ? trackedTimers() : null
  let failed: string | null = null
  let missing: string | null = null
  let unheld: string | null = null
  const check = assertingWith({
    asserted,
    failed(message) {
      // Here the tests are only listed. Without a solution every assertion would fail, so `console.assert` must not
      // throw: the tests after it must still be registered.
      if (solution === anything) return false
      unheld ??= message
      registry.stray(message)
      return true
    },
  })
  // No solution runs in this process, so the global console can be changed for the tests too.
  if (timers !== null) globalThis.console.assert = check
  const seen = consoleForTests(timers !== null ? null : console, check)
  const builtin = (specifier: string): object | undefined =>
    CONSOLES.has(specifier) ? seen : surroundings.builtin(specifier)
  let tested = solution
  let loading: Promise<Solution> | null = null
  const outer: Record<string, unknown> = {
    ...library.globals,
    ...registeringWith(library.commonWords, tests.body),
    ...timers?.given,
    ...lookups(library, () => tested, { ...surroundings, builtin }),
    __should: library.shouldOf,
    __ready: async () => {
      if (surroundings.load !== undefined) tested = await (loading ??= surroundings.load())
    },
    console: seen,
    exports: {},
    module: { exports: {} },
  }
  const main = solution.module('./solution').namespace
  // Tests can use exports of the solution as globals. An export is left out if it would hide a name that tests
  // expect.
  const free = solution.names.filter(
    (name) =>
      /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) &&
      !RESERVED.has(name) &&
      !tests.helpers.includes(name) &&
      !(name in outer) &&
      !(name in globalThis) &&
      // Each export that is passed in is requested from the solution. That request would be counted as a use by the
      // tests, so exports that the tests do not mention are left out when uses are counted.
      (surroundings.asserted === undefined || tests.body.includes(name)),
  )
  const { entryPoint } = tests
  if (entryPoint !== null && !free.includes(entryPoint)) free.push(entryPoint)
  outer['__entry'] = entryPoint === null ? undefined : main[entryPoint]
  try {
    // Running this source is safe: the tests come from the user, and this process exists to run them.
    // oxlint-disable-next-line typescript/no-implied-eval
    const make = new Function(
      ...Object.keys(outer),
      `${tests.isSloppy ? '' : "'use strict';"}${tests.prelude}\nreturn (${free.join(',')}) => async () => {\n${tests.body}\n}`,
    ) as (...args: unknown[]) => (...args: unknown[]) => () => Promise<void>
    await make(...Object.values(outer))(...free.map((name) => main[name]))()
  } catch (error) {
    failed = explained(error)
    if (error instanceof NotThere && tests.needed.includes(error.specifier))
      missing = error.specifier
  }
  failed ??= unheld
  const isScript = tests.isScript && !registry.touched
  if (registry.names().length === 0 && (failed !== null || isScript)) {
    // A plain script is a single test, which has already run here. A file that does nothing, or skips all of its
    // tests, has no test.
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
  return {
    registry,
    failed,
    missing,
    dispose() {
      timers?.dispose()
      library.dispose()
    },
  }
}

/**
 * Returns the functions in `words` with which the file registers tests or hooks. The file may use these words for
 * something else. So a function counts only if the file calls it with a title or a function as the first argument.
 */
function registeringWith(
  words: Readonly<Record<string, unknown>>,
  body: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(words).filter(([name]) =>
      new RegExp(
        `(?<![\\w$.])${name}(?:\\.\\w+)*\\s*(?:\\(\\s*(?:['"\`]|async\\b|function\\b|\\(|\\w+\\s*=>|\\[)|\`)`,
      ).test(body),
    ),
  )
}

/** Thrown if the tests import a module that does not exist. */
export class NotThere extends Error {
  override readonly name = 'Error'
  readonly specifier: string

  constructor(specifier: string) {
    const isFile = /^[./]/.test(specifier)
    const how = isFile ? '' : ': the case does not declare it in its dependencies'
    super(`the tests import ${specifier}, which is not there${how}`)
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
  solution: () => Solution,
  surroundings: Surroundings,
): Record<string, unknown> {
  const { packages } = surroundings
  const namespaceOf = (specifier: string): Namespace => {
    const known = library.module(specifier)
    if (known !== undefined) return known
    const mock = surroundings.mocked?.(specifier)
    if (mock !== undefined) return mock
    const node = builtin(specifier)
    if (node !== undefined) return { ...(node as Namespace), default: node }
    return packages.get(specifier)?.namespace ?? solution().module(specifier).namespace
  }
  /** The `require` of the test file. It returns Assay's test library, never an installed one. */
  const require = (specifier: string): unknown => {
    const known = library.module(specifier)
    if (known !== undefined) return known['default']
    const mock = surroundings.mocked?.(specifier)
    if (mock !== undefined) return mock['default']
    const node = builtin(specifier)
    if (node !== undefined) return node
    const found = packages.get(specifier)
    if (found !== undefined) return found.required
    const { namespace, common } = solution().module(specifier)
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

/** A stub that is used instead of a solution to list tests. Every operation on it returns the stub. */
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
