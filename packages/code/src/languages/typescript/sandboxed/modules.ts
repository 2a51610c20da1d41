/**
 * Loads the solution's modules from memory, as real modules under paths that do not exist. Test libraries that a
 * solution imports for its own tests exist but do nothing.
 */
import { compileFunction } from './builtins.ts'

export interface LoadFile {
  readonly source: string
  /** `body`: a module that was turned into the body of a function. */
  readonly format: 'module' | 'commonjs' | 'body'
}

export interface Load {
  readonly files: Readonly<Record<string, LoadFile>>
  /** Paths to load; the main file comes first. */
  readonly wanted: readonly string[]
  /** A folder with packages; null if there is none. */
  readonly packages: string | null
}

export interface Loaded {
  readonly path: string
  readonly holder: Record<string, unknown>
  /** True for CommonJS: `default` is its `module.exports`. */
  readonly common: boolean
}

const ROOT = 'file:///sample/'
const ENTRY = 'sample:entry'
const NOTHING = 'sample:nothing'
const KEY = Symbol.for('assay.sample')
const ENDINGS = ['', '.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '/index.ts', '/index.js']
const LIBRARIES = /^(?:node:test(?:\/.*)?|vitest|@jest\/globals|bun:test|mocha|chai|jest)$/
const NAMES =
  'test it describe suite before after beforeEach afterEach beforeAll afterAll expect vi jest mock assert should run default'.split(
    ' ',
  )

/** Returns itself for every operation. */
const nothing: unknown = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : nothing),
  apply: () => nothing,
  construct: () => nothing as object,
})

export async function loadModules(load: Load): Promise<Loaded[]> {
  quiet()
  for (const name of NAMES)
    if (!(name in globalThis))
      Object.defineProperty(globalThis, name, {
        value: nothing,
        writable: true,
        configurable: true,
      })
  const [main = ''] = load.wanted
  const file = load.files[main]
  if (file?.format !== 'body') return loadReally(load)
  const { holder } = await evaluated(main, file.source)
  return [{ path: main, holder, common: false }]
}

type Getters = Readonly<Record<string, () => unknown>>

/** Returns the exports wrapped in an object, because a solution may export `then`. */
async function evaluated(
  path: string,
  source: string,
): Promise<{ holder: Record<string, unknown> }> {
  const holder: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const run = compileFunction(source, ['__require', '__export'], {
    filename: `/sample/${path}`,
  }) as (
    require: (specifier: string) => unknown,
    export_: (getters: Getters) => void,
  ) => Promise<void>
  await run(
    (specifier) => (LIBRARIES.test(specifier) ? nothing : process.getBuiltinModule(specifier)),
    (getters) => {
      for (const [name, get] of Object.entries(getters))
        Object.defineProperty(holder, name, { get, enumerable: true })
    },
  )
  return { holder }
}

async function loadReally({ files, wanted, packages }: Load): Promise<Loaded[]> {
  const shadow = new Map<string, LoadFile>()
  for (const [path, file] of Object.entries(files)) shadow.set(new URL(path, ROOT).href, file)
  const found = (url: string): string | null => {
    for (const base of [url, url.replace(/\.[cm]?js$/, '')])
      for (const ending of ENDINGS) if (shadow.has(base + ending)) return base + ending
    return null
  }
  // Loaded only when needed: it takes half a millisecond, and most solutions are one file without imports.
  const { registerHooks } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const inPackages = packages === null ? null : pathToFileURL(`${packages}/x.js`).href
  const namespaces: Record<string, unknown>[] = []
  const handed = {
    nothing,
    take: (...all: Record<string, unknown>[]) => void namespaces.push(...all),
  }
  Object.defineProperty(globalThis, KEY, { value: handed, configurable: true })
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === ENTRY) return { url: ENTRY, shortCircuit: true }
      if (specifier.startsWith('.') || specifier.startsWith(ROOT)) {
        const url = found(new URL(specifier, context.parentURL ?? ROOT).href)
        if (url !== null) return { url, shortCircuit: true }
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
      const file = shadow.get(url)
      if (file === undefined) return next(url, context)
      const format = file.format === 'commonjs' ? 'commonjs' : 'module'
      return { format, source: file.source, shortCircuit: true }
    },
  })
  await import(ENTRY)
  return wanted.map((path, index) => {
    const namespace = namespaces[index] ?? {}
    const common = shadow.get(new URL(path, ROOT).href)?.format === 'commonjs'
    return { path, holder: common ? holderOf(namespace['default']) : namespace, common }
  })
}

/**
 * Returns the source of a module that imports the wanted ones. `import()` would treat a module that exports `then` as
 * a promise.
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
 * Returns the object with the exports of a CommonJS module. If it exports a single function, this is a new object
 * around it.
 */
function holderOf(exported: unknown): Record<string, unknown> {
  const around: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if ((typeof exported === 'object' && exported !== null) || typeof exported === 'function')
    for (const key of Object.keys(exported))
      around[key] = (exported as Record<string, unknown>)[key]
  around['default'] = exported
  return around
}

/** Turns off printing. A solution's output does not count, and creating the streams for it takes milliseconds. */
function quiet(): void {
  for (const name of Object.keys(console)) {
    const holder = console as unknown as Record<string, unknown>
    if (typeof holder[name] === 'function' && name !== 'assert' && name !== 'Console')
      holder[name] = () => {}
  }
}
