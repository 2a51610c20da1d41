/**
 * Loads the solution's modules from memory. They are real modules with file paths that do not exist on disk. Some
 * solutions import a test library, because they contain tests. They get a stub that does nothing.
 */
import { compileFunction } from './builtins.ts'
import type { MockedModules } from './module-mocks.ts'
import { stemOf } from './solution-modules.ts'

export interface LoadFile {
  readonly source: string
  /** The form of the module. `body`: the analyzer has turned it into the body of a function. */
  readonly format: 'module' | 'commonjs' | 'body'
}

export interface Load {
  readonly files: Readonly<Record<string, LoadFile>>
  /** The paths of the modules to load. The main file comes first. */
  readonly wanted: readonly string[]
  /** The folder of the packages that the case declares; null if there is none. */
  readonly packages: string | null
  /** Other names of the main file, by which files of the case may import it. */
  readonly names: readonly string[]
  /**
   * Set for a reference (a correct solution) if its process may load other references afterwards. `link` is the index
   * of the connection to the tester that this reference uses.
   */
  readonly shared?: { readonly link: number }
}

export interface Loaded {
  readonly path: string
  readonly holder: Record<string, unknown>
  /** True for a CommonJS module. Its `default` export is then `module.exports`. */
  readonly common: boolean
}

const ROOT = 'file:///sample/'
const ENTRY = 'sample:entry'
const NOTHING = 'sample:nothing'
const MOCK = 'sample:mock/'
const ACTUAL = 'sample:actual/'
const KEY = Symbol.for('assay.sample')
const ENDINGS = ['', '.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '/index.ts', '/index.js']
const LIBRARIES = /^(?:node:test(?:\/.*)?|vitest|@jest\/globals|bun:test|mocha|chai|jest)$/
const NAMES =
  'test it describe suite before after beforeEach afterEach beforeAll afterAll expect vi jest mock assert should run default'.split(
    ' ',
  )

/** A stub for test libraries. Every operation on it returns the stub. */
const nothing: unknown = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : nothing),
  apply: () => nothing,
  construct: () => nothing as object,
})

/** Turns off the console, and defines the functions of test libraries as global stubs. */
export function setGlobals(): void {
  quiet()
  for (const name of NAMES)
    if (!(name in globalThis))
      Object.defineProperty(globalThis, name, {
        value: nothing,
        writable: true,
        configurable: true,
      })
}

export async function loadModules(
  load: Load,
  mocks: MockedModules | null = null,
): Promise<Loaded[]> {
  if (load.shared === undefined) setGlobals()
  const [main = ''] = load.wanted
  const file = load.files[main]
  if (file?.format !== 'body') return loadReally(load, mocks)
  if (mocks !== null) {
    mocks.original = (specifier) => process.getBuiltinModule(specifier)
    await mocks.make()
  }
  const { holder } = await evaluated(main, file.source, (specifier) =>
    mockedBuiltin(specifier, mocks),
  )
  return [{ path: main, holder, common: false }]
}

/** Returns a Node module or its mock. The mock works with default, named and namespace imports. */
function mockedBuiltin(specifier: string, mocks: MockedModules | null): unknown {
  const mock = mocks?.namespace(specifier)
  if (mock === undefined) return process.getBuiltinModule(specifier)
  const whole = mock['default']
  return typeof whole === 'object' ? { ...whole, ...mock } : mock
}

type Getters = Readonly<Record<string, () => unknown>>

/**
 * Runs a module that is the body of a function and returns its exports. They are wrapped in another object: if a
 * module exports a function `then`, `await` would treat the exports as a promise.
 */
async function evaluated(
  path: string,
  source: string,
  builtin: (specifier: string) => unknown,
): Promise<{ holder: Record<string, unknown> }> {
  const holder: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const run = compileFunction(source, ['__require', '__export'], {
    filename: `/sample/${path}`,
  }) as (
    require: (specifier: string) => unknown,
    export_: (getters: Getters) => void,
  ) => Promise<void>
  await run(
    (specifier) => (LIBRARIES.test(specifier) ? nothing : builtin(specifier)),
    (getters) => {
      for (const [name, get] of Object.entries(getters))
        Object.defineProperty(holder, name, { get, enumerable: true })
    },
  )
  return { holder }
}

async function loadReally(
  { files, wanted: asked, packages, names }: Load,
  mocks: MockedModules | null,
): Promise<Loaded[]> {
  const [main = ''] = asked
  const wanted = asked.filter((path) => path === main || mocks?.has(`./${path}`) !== true)
  const shadow = new Map<string, LoadFile>()
  for (const [path, file] of Object.entries(files)) shadow.set(new URL(path, ROOT).href, file)
  const found = (url: string): string | null => {
    for (const base of [url, url.replace(/\.[cm]?js$/, '')])
      for (const ending of ENDINGS) if (shadow.has(base + ending)) return base + ending
    return null
  }
  // `node:module` is loaded only when needed. Loading it takes half a millisecond, and most solutions are one file
  // without imports.
  const { createRequire, registerHooks } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const inPackages = packages === null ? null : pathToFileURL(`${packages}/x.js`).href
  const namespaces: Record<string, unknown>[] = []
  const handed = {
    nothing,
    mock: (specifier: string) => mocks?.namespace(specifier),
    mockValue: (specifier: string) => mocks?.value(specifier),
    take: (...all: Record<string, unknown>[]) => void namespaces.push(...all),
  }
  Object.defineProperty(globalThis, KEY, { value: handed, configurable: true })
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === ENTRY) return { url: ENTRY, shortCircuit: true }
      if (specifier.startsWith(ACTUAL)) {
        const actual = specifier.slice(ACTUAL.length)
        const url = actual.startsWith('.') ? found(new URL(leaf(actual), ROOT).href) : null
        if (url !== null) return { url: `${url}?actual`, shortCircuit: true }
        return next(actual, { ...context, parentURL: inPackages ?? ROOT })
      }
      if (context.parentURL?.startsWith(ROOT) === true && mocks?.has(specifier) === true) {
        const kind = context.conditions.includes('require') ? 'common/' : 'module/'
        return { url: `${MOCK}${kind}${encodeURIComponent(specifier)}`, shortCircuit: true }
      }
      if (specifier.startsWith('.') || specifier.startsWith(ROOT)) {
        const url = found(new URL(specifier, context.parentURL ?? ROOT).href)
        if (url !== null) return { url, shortCircuit: true }
        if (names.includes(stemOf(specifier)))
          return { url: new URL(main, ROOT).href, shortCircuit: true }
      }
      if (context.parentURL?.startsWith(ROOT) === true) {
        if (LIBRARIES.test(specifier)) return { url: NOTHING, shortCircuit: true }
        if (inPackages !== null && !specifier.startsWith('.'))
          return next(specifier, { ...context, parentURL: inPackages })
      }
      return next(specifier, context)
    },
    load(url, context, next) {
      const made = url === NOTHING ? nothingSource() : url === ENTRY ? entrySource(wanted) : null
      if (made !== null) return { format: 'module', source: made, shortCircuit: true }
      if (url.startsWith(MOCK)) return { ...mockFile(url.slice(MOCK.length)), shortCircuit: true }
      const file = shadow.get(url.replace(/\?actual$/, ''))
      if (file === undefined) return next(url, context)
      const format = file.format === 'commonjs' ? 'commonjs' : 'module'
      return { format, source: file.source, shortCircuit: true }
    },
  })
  if (mocks !== null) {
    const require = createRequire(ROOT)
    mocks.original = (specifier) =>
      process.getBuiltinModule(specifier) ?? (require(`${ACTUAL}${specifier}`) as unknown)
    await mocks.make()
  }
  await import(ENTRY)
  return wanted.map((path, index) => {
    const namespace = namespaces[index] ?? {}
    const common = shadow.get(new URL(path, ROOT).href)?.format === 'commonjs'
    return { path, holder: common ? holderOf(namespace['default']) : namespace, common }
  })
}

/** Returns the path of the file of this name next to the solution. The folder that the tests name is ignored. */
const leaf = (specifier: string): string => `./${specifier.split('/').at(-1) ?? ''}`

/** Returns the source of a module that exports what the mock exports. */
function mockFile(place: string): { format: 'module' | 'commonjs'; source: string } {
  const specifier = JSON.stringify(decodeURIComponent(place.slice(place.indexOf('/') + 1)))
  const handed = `globalThis[Symbol.for(${JSON.stringify(KEY.description)})]`
  if (place.startsWith('common/'))
    return { format: 'commonjs', source: `module.exports = ${handed}.mockValue(${specifier})` }
  const holder = (globalThis as unknown as Record<symbol, Handed>)[KEY]
  const names = Object.keys(holder?.mock(JSON.parse(specifier) as string) ?? {})
  const exported = names.map((name, i) => `m${i} as ${JSON.stringify(name)}`)
  return {
    format: 'module',
    source: [
      `const mock = ${handed}.mock(${specifier})`,
      ...names.map((name, i) => `const m${i} = mock[${JSON.stringify(name)}]`),
      `export { ${exported.join(', ')} }`,
    ].join(';'),
  }
}

interface Handed {
  readonly mock: (specifier: string) => Record<string, unknown> | undefined
}

/**
 * Returns the source of a module that imports the wanted modules with `import` statements. `import()` cannot be used:
 * it would treat a module that exports `then` as a promise.
 */
const entrySource = (wanted: readonly string[]): string =>
  [
    ...wanted.map(
      (path, i) => `import * as m${i} from ${JSON.stringify(new URL(path, ROOT).href)}`,
    ),
    `globalThis[Symbol.for(${JSON.stringify(KEY.description)})].take(${wanted.map((_, i) => `m${i}`).join(',')})`,
  ].join(';')

const nothingSource = (): string =>
  [
    `const nothing = globalThis[Symbol.for(${JSON.stringify(KEY.description)})].nothing`,
    ...NAMES.map((name) =>
      name === 'default' ? 'export default nothing' : `export const ${name} = nothing`,
    ),
  ].join(';')

/**
 * Returns a new object with the exports of a CommonJS module. Its `default` is `module.exports` itself, which may be a
 * single function.
 */
function holderOf(exported: unknown): Record<string, unknown> {
  const around: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if ((typeof exported === 'object' && exported !== null) || typeof exported === 'function')
    for (const key of Object.keys(exported))
      around[key] = (exported as Record<string, unknown>)[key]
  around['default'] = exported
  return around
}

/** Turns off the console. What a solution prints is not used, and creating the output streams takes milliseconds. */
function quiet(): void {
  for (const name of Object.keys(console)) {
    const holder = console as unknown as Record<string, unknown>
    if (typeof holder[name] === 'function' && name !== 'assert' && name !== 'Console')
      holder[name] = () => {}
  }
}
