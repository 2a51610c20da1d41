/**
 * TypeScript and JavaScript. A solution first goes through the analyzer, which checks its syntax and types, lints it
 * and strips its types. Then it is loaded into a separate process that was started in advance. A tester process has
 * the tests and runs them against the solution. All of this happens in the sandbox. This file only connects these
 * steps.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { shellPath, shellWord, type Dependency } from '@assay/contract'
import { WALL_FACTOR, type Program, type Sandbox } from '@assay/sandbox'
import {
  type CodeReport,
  type CodeWork,
  type Language,
  type LanguageTools,
  type Tests,
  type Tool,
} from '../../language.ts'
import { TestsFault } from '../../fault/tests-fault.ts'
import { vendored } from '../../vendor.ts'
import { runInProcess } from './host/in-process.ts'
import { Analyzers } from './host/analyzers.ts'
import type { PreparedSolution, PreparedTests } from './sandboxed/analyze/prepared.ts'
import { Testers, type Collected } from './host/testers.ts'
import { faultyScript } from './faulty.ts'
import { look } from './host/look.ts'
import { findTools, TesterPrograms } from './host/programs.ts'
import { WarmProcesses } from './host/warm.ts'
import { packagesIn, scriptSource } from './host/source-reader.ts'
import { refuseMissingFiles } from './host/missing-files.ts'
import { stemOf } from './sandboxed/solution-modules.ts'
import { inProcessNeeded } from './host/in-process-needed.ts'

type Name = 'typescript' | 'javascript'

/**
 * The properties in which processes for solutions differ. A solution can use a waiting process only if all of them
 * are the same.
 */
interface Kind {
  readonly kind: 'solution' | 'in-process'
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly packages: string | null
}

const MOST_KEPT = 2000

/** What a solution needs to get its process. */
interface Placing {
  readonly packages: string | null
  readonly isShared: boolean
  /** Called when the solution gets its process. */
  readonly taken: () => void
}

class ScriptTools implements LanguageTools {
  readonly #fronts: Analyzers
  readonly #testers: Testers
  readonly #programs = new TesterPrograms()
  readonly #beside: WarmProcesses
  /** How many solutions of each kind will soon need a process that also runs their tests. */
  readonly #expectedBeside = new Map<string, number>()
  readonly #prepared = new Map<string, Promise<PreparedTests>>()
  readonly #listed = new Map<string, Promise<Collected>>()

  constructor(sandbox: Sandbox) {
    this.#fronts = new Analyzers(sandbox)
    const program = (key: string): Program => {
      const { kind, packages, ...limits } = JSON.parse(key) as Kind
      return this.#programs.sample(kind, limits, packages)
    }
    this.#testers = new Testers(sandbox, (packages) => this.#programs.tester(packages), program)
    this.#beside = new WarmProcesses(
      sandbox,
      (key) => ({ program: program(key) }),
      (key) => Math.min(availableParallelism(), this.#expectedBeside.get(key) ?? 0),
    )
  }

  start(): void {
    this.#fronts.start()
    this.#testers.start()
  }

  async assess(work: CodeWork): Promise<CodeReport> {
    const { signal, tests, files, main, support, lint, define } = work
    const script = work.format === 'script'
    signal.throwIfAborted()
    const packages = work.dependencies.length > 0 ? vendored(work.vendor, 'node_modules') : null
    const declared = work.dependencies.map(({ name }) => name)
    const readied = tests?.kind === 'source' ? this.#prepare(tests, script, declared) : null
    readied?.catch(() => {})
    const isBeside = tests?.kind === 'source' && work.integrity === 'in-process'
    const needsSample = tests !== null && !isBeside && work.isReference !== true
    const taken = isBeside
      ? this.#expectBeside(kindOf('in-process', work, packages))
      : needsSample
        ? this.#testers.expect(kindOf('solution', work, packages))
        : (): void => {}
    try {
      const sample = await this.#fronts.sample(
        { kind: 'solution', files, main, support, lint, define, script, declared },
        packages,
      )
      signal.throwIfAborted()
      const { errors, warnings, defined } = sample
      const report = { compiled: errors.length === 0, errors, notes: [], warnings, defined }
      if (errors.length > 0 || tests === null) return { ...report, tests: null, fault: null }
      const prepared = readied === null ? null : await readied
      if (prepared !== null) refuseMissingFiles(work, prepared)
      const isShared = work.isReference === true && packages === null && isAlone(sample)
      const outcome =
        prepared !== null && isBeside
          ? await this.#testBeside(work, sample, prepared, { packages, taken })
          : await this.#test(work, sample, tests, prepared, { packages, isShared, taken })
      if (outcome.tests?.length === 0 && tests.kind === 'source' && work.count !== true)
        refuseNone(tests.source, prepared)
      return { ...report, ...outcome }
    } finally {
      taken()
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#fronts.close(), this.#testers.close(), this.#beside.close()])
    this.#programs.remove()
  }

  async #test(
    work: CodeWork,
    sample: PreparedSolution,
    tests: Tests,
    prepared: PreparedTests | null,
    { packages, isShared, taken }: Placing,
  ): Promise<Pick<CodeReport, 'tests' | 'fault' | 'activity' | 'skipped' | 'unready' | 'isUsed'>> {
    const { main, limits, signal, count } = work
    const tested =
      tests.kind === 'calls'
        ? tests
        : { kind: 'source' as const, prepared: prepared as PreparedTests }
    const { cpuMs } = limits
    return this.#testers.tester(
      kindOf('solution', work, packages),
      {
        run: {
          say: 'run',
          tests: tested,
          main,
          modules: work.modules ?? null,
          packages: (prepared?.packages.length ?? 0) > 0 ? packages : null,
          ...(count === true ? { count } : {}),
        },
        load: {
          files: sample.files,
          wanted: wantedBy(prepared, sample, main),
          packages,
          names: work.modules ?? [],
        },
        cpuMs,
        wallMs: cpuMs * WALL_FACTOR,
        signal,
      },
      { isShared, taken },
    )
  }

  async #testBeside(
    work: CodeWork,
    sample: PreparedSolution,
    prepared: PreparedTests,
    { packages, taken }: Omit<Placing, 'isShared'>,
  ): Promise<Pick<CodeReport, 'tests' | 'fault' | 'skipped' | 'unready'>> {
    const { main, limits, signal } = work
    const data = Object.fromEntries(
      Object.entries(work.support).filter(([path]) => path.endsWith('.json')),
    )
    const { names, skipped } = await kept(this.#listed, hashOf([prepared, data]), () =>
      this.#testers.collect(prepared, prepared.packages.length > 0 ? packages : null, data),
    )
    const { cpuMs } = limits
    taken()
    const tested = await runInProcess({
      sample: await this.#beside.take(kindOf('in-process', work, packages)),
      load: {
        files: sample.files,
        wanted: wantedBy(prepared, sample, main),
        packages,
        names: work.modules ?? [],
        prepared,
        main,
        modules: work.modules ?? null,
      },
      names,
      cpuMs,
      wallMs: cpuMs * WALL_FACTOR,
      signal,
    })
    return skipped.length === 0 ? tested : { ...tested, skipped }
  }

  /**
   * Announces a solution whose tests will run in its process, so that the process starts while the solution is checked.
   * The caller must call the returned function when the solution gets its process or will not need one.
   */
  #expectBeside(key: string): () => void {
    const add = (more: number): void => {
      this.#expectedBeside.set(key, (this.#expectedBeside.get(key) ?? 0) + more)
    }
    add(1)
    this.#beside.prepare(key)
    let isOver = false
    return () => {
      if (!isOver) add(-1)
      isOver = true
    }
  }

  /** Prepares the tests of a case once, for all of its solutions. */
  #prepare(
    { source, prelude, entryPoint }: Extract<Tests, { kind: 'source' }>,
    script: boolean,
    declared: readonly string[],
  ): Promise<PreparedTests> {
    return kept(this.#prepared, hashOf([source, prelude, entryPoint, script, declared]), () =>
      this.#fronts.tests({ kind: 'tests', source, prelude, entryPoint, script, declared }),
    )
  }
}

const kindOf = (kind: Kind['kind'], { limits }: CodeWork, packages: string | null): string =>
  JSON.stringify({
    kind,
    cpuMs: limits.cpuMs,
    memoryBytes: limits.memoryBytes,
    packages,
  } satisfies Kind)

/** Throws `TestsFault` if the test source neither registers tests nor runs any other statement. */
function refuseNone(source: string, prepared: PreparedTests | null): void {
  const registers = /\b(?:describe|it|suite|test|specify|[xf](?:it|test|describe))\b/
  if (prepared?.isScript === false && !registers.test(scriptSource.bare(source).text))
    throw new TestsFault('there is no test in them')
}

/**
 * Whether the solution leaves nothing in Node's cache of modules, because it is loaded as the body of a function.
 * Only then can its process hold another reference.
 */
const isAlone = ({ files }: PreparedSolution): boolean =>
  Object.values(files).every(({ format }) => format === 'body')

/** Returns the paths of the solution's main module and of its other modules that the tests import. */
function wantedBy(
  tests: PreparedTests | null,
  { files }: PreparedSolution,
  main: string,
): string[] {
  const imported = new Set(tests?.imports.filter((one) => one.startsWith('.')).map(stemOf))
  return [main, ...Object.keys(files).filter((path) => path !== main && imported.has(stemOf(path)))]
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64')

/** Returns the cached promise for the key, or creates and caches it. A rejected promise is removed from the cache. */
function kept<T>(store: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = store.get(key)
  if (known !== undefined) return known
  if (store.size >= MOST_KEPT) store.clear()
  const made = make()
  store.set(key, made)
  made.catch(() => store.delete(key))
  return made
}

async function inspect(): Promise<Tool[]> {
  const node = { name: 'node', version: process.versions.node }
  try {
    const { versions } = findTools()
    return [
      node,
      { name: 'typescript', version: versions.typescript },
      { name: 'oxlint', version: versions.oxlint },
      { name: 'oxc-parser', version: versions.parser },
    ]
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    return [
      node,
      { name: 'typescript, oxlint, oxc-parser', version: null, how: `${what}: run npm install` },
    ]
  }
}

/**
 * Matches the name of a package. Anything else gets no command, because the name comes from the suite, and npm would
 * read it as a flag, a path or an address.
 */
const NPM_NAME = /^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*$/

async function missing(
  dependencies: readonly Dependency[],
  vendor: string | null,
): Promise<string[]> {
  const lacking: string[] = []
  for (const { name, version } of dependencies) {
    const wanted = version === null ? name : `${name}@${version}`
    const how = NPM_NAME.test(name)
      ? `run npm install --prefix ${vendor === null ? 'VENDOR' : shellPath(vendor)} ${shellWord(wanted)}`
      : 'npm knows no package with such a name'
    if (vendor === null) {
      lacking.push(`${name}: there is no folder of vendored packages; make one, then ${how}`)
      continue
    }
    try {
      const file = vendored(vendor, 'node_modules', name, 'package.json')
      if (file === null) throw new Error('not in the repository')
      const text = await readFile(file, 'utf8')
      const has = (JSON.parse(text) as { version?: unknown }).version
      if (version !== null && /^\d/.test(version) && has !== version)
        lacking.push(`${name}: version ${version} is wanted, ${String(has)} is vendored; ${how}`)
    } catch {
      lacking.push(`${name}: not in ${join(vendor, 'node_modules')}; ${how}`)
    }
  }
  return lacking
}

/**
 * Returns a stand-in: a solution that exports one stub under all of these names. Every operation on the stub returns
 * the stub.
 */
function standIn(names: readonly string[], type: string): string {
  const exported = names.map((name) => `stub as ${name}`).join(', ')
  return `let left = ${MOST_CALLS}
const called = ()${type} => { if (left-- <= 0) throw new Error('called too often'); return stub }
const stub${type} = new Proxy(function () {}, {
  get: (_${type}, key${type})${type} => (key === 'then' || typeof key === 'symbol' ? undefined : stub),
  apply: called,
  construct: called,
})
export { ${exported === '' ? '' : `${exported}, `}stub as default }
`
}

/**
 * After this many calls the stub throws. Otherwise a test that loops until the solution returns a certain value would
 * never end.
 */
const MOST_CALLS = 10_000

const language = (name: Name, own: Pick<Language, 'fences' | 'main' | 'endings'>): Language => ({
  name,
  ...own,
  source: scriptSource,
  callsFault: null,
  caseKeys: ['format'],
  vendorFolder: 'node_modules',
  isolated: true,
  control: {
    solution: 'export const seven = () => 7\n',
    tests:
      "import test from 'node:test'\nimport assert from 'node:assert'\nimport { seven } from './solution'\n\ntest('seven', () => assert.equal(seven(), 7))\n",
  },
  inProcessNeeded,
  packagesIn,
  look,
  standIn: (names) => standIn(names, name === 'typescript' ? ': any' : ''),
  faulty: faultyScript(name === 'typescript'),
  inspect,
  missing,
  open: (sandbox) => new ScriptTools(sandbox),
})

export const typescript = language('typescript', {
  fences: ['typescript', 'ts', 'mts', 'cts', 'tsx'],
  main: 'solution.ts',
  endings: ['.ts', '.mts', '.cts'],
})

export const javascript = language('javascript', {
  fences: ['javascript', 'js', 'mjs', 'cjs', 'node', 'jsx'],
  main: 'solution.js',
  endings: ['.js', '.mjs', '.cjs'],
})
