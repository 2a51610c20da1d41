/**
 * Does all of the work on one Python solution: starts a fork for it, compiles it, then runs the tests and the linter
 * at the same time. If the solution ends too early, that is a fault in its report. Only failures before the solution
 * is loaded are thrown as errors, because the solution cannot be their cause.
 */
import { SandboxError, WALL_FACTOR, whenIdle } from '@assay/sandbox'
import { decodeFrame, encodeFrame } from '../../../frames.ts'
import { idleFault } from '../../../time/idle-fault.ts'
import { type CodeReport, type CodeWork, type Diagnostic, type Fault } from '../../../language.ts'
import { makeNonce, runInProcess, type Inventories } from './in-process.ts'
import { faultOf, slow } from './faults.ts'
import type { Fork, ForkServer, Gone } from './forks.ts'
import type { Interpreter } from './interpreter.ts'
import type { Linters } from './lint.ts'
import { warmFor, type Kind, type PythonServers } from './servers.ts'
import { testFiles } from './source/test-files.ts'
import { tryOut, type Course, type Tested } from './run-tests.ts'
import { packageFolder } from './vendored.ts'

export interface Tools {
  readonly interpreter: Interpreter
  readonly servers: PythonServers
  readonly inventories: Inventories
  readonly linters: Linters
  readonly filter: boolean
}

export async function assess(work: CodeWork, tools: Tools): Promise<CodeReport> {
  const { signal } = work
  const place = await placeFor(work, tools)
  const { checked, fault: over, release } = place.begun
  let linted: Promise<readonly Diagnostic[]> | null = null
  let tested: PromiseSettledResult<Tested | null>
  try {
    signal.throwIfAborted()
    if (!('compiled' in checked) || !checked.compiled) {
      const report = 'compiled' in checked ? checked : crashed(work.main, checked)
      const fault = 'compiled' in checked ? null : checked
      return { ...report, tests: null, warnings: null, fault }
    }
    if (work.lint) {
      linted = tools.linters.lint(pythonFiles(work), targetOf(tools.interpreter))
      linted.catch(() => {})
    }
    const [outcome] = await Promise.allSettled([
      place.test({ limits: work.limits, over, stop: signal }),
    ])
    tested = outcome
  } finally {
    release()
    await place.leave()
  }
  // The linter runs at the same time as the tests and may take longer, especially for its first file. The code waits
  // for it only here, when the servers are already free for other solutions.
  const [warnings] = await Promise.allSettled([linted])
  signal.throwIfAborted()
  if (warnings.status === 'rejected') throw warnings.reason
  if (tested.status === 'rejected') throw tested.reason
  const { activity, unready, skipped = [] } = tested.value ?? {}
  return {
    ...checked,
    tests: tested.value?.tests ?? null,
    warnings: warnings.value,
    fault: tested.value?.fault ?? null,
    ...(activity === undefined ? {} : { activity }),
    ...(unready === undefined ? {} : { unready }),
    ...(skipped.length === 0 ? {} : { skipped }),
  }
}

// ── The solution's fork ──────────────────────────────────────────────────────────────────────────────

/** The fork of a solution, and the operations on it. */
interface Place {
  readonly begun: Begun
  test(course: Course): Promise<Tested | null>
  leave(): Promise<void>
}

async function placeFor(work: CodeWork, tools: Tools): Promise<Place> {
  const { tests, support } = work
  const beside = tests?.kind === 'source' && work.integrity === 'in-process' ? tests : null
  const nonce = beside === null ? '' : makeNonce()
  const kind: Kind = {
    role: beside === null ? 'solution' : 'in_process',
    packages: packageFolder(work.vendor),
    scratch: beside !== null || Object.keys(support).some((path) => !path.endsWith('.py')),
    warm: warmFor([...Object.values(work.files), beside?.source ?? '']),
  }
  const { helpers } = testFiles(support)
  const { main, module } = work
  const held =
    beside === null ? null : await tools.inventories.of(beside, { main, module, helpers })
  const imports = held?.imports ?? []
  const begin: Begin = (server, core, others = []) =>
    beginOn(server, core, { work, filter: tools.filter, nonce, imports, others })
  if (tests !== null && beside === null) return pairedPlace(work, kind, tools, begin)

  const pool = tools.servers.single(kind)
  const { one, begun } = await pool.take((server) => begin(server, null))
  return {
    begun,
    async test(course) {
      return beside === null || held === null
        ? null
        : runInProcess(begun.sample, beside, held.tests, helpers, { nonce, ...course })
    },
    async leave() {
      await begun.sample.end()
      pool.free(one)
    },
  }
}

async function pairedPlace(work: CodeWork, kind: Kind, tools: Tools, begin: Begin): Promise<Place> {
  const { tests, main } = work
  const { cores } = tools.servers
  const { packages } = kind
  const warm = warmFor(tests?.kind === 'source' ? [tests.source] : [])
  const pool = tools.servers.pairs(kind, { role: 'tester', packages, scratch: false, warm })
  const count = work.count === true
  const { helpers, shared } = testFiles(work.support)
  const key = JSON.stringify([tests, count, helpers])
  const { one: pair, begun } = await pool.take(
    async (one) => {
      const core = (one.core = cores.take(one.core))
      try {
        return await begin(one.sample, core, [one.testerPid])
      } catch (error) {
        cores.free(core)
        throw error
      }
    },
    (one) => one.holds(key),
  )
  const { sample } = begun
  let isKept = true
  return {
    begun,
    async test(course) {
      // The tester can be kept for the next solution only if it reports a clean state (`again`). Until then, assume
      // that it cannot.
      isKept = false
      sample.hush()
      const modules = Object.keys({ ...shared, ...work.files })
      const tester = await pair.tester(key, (isKnown) =>
        encodeFrame({
          tests: isKnown ? null : tests,
          helpers,
          modules,
          main,
          module: work.module,
          path: packages,
          list: false,
          count,
        }),
      )
      const tested = await tryOut(tester, course)
      isKept = tested.again
      return tested
    },
    async leave() {
      await sample.end()
      if (!isKept) await pair.dismiss()
      if (pair.core !== null) cores.free(pair.core)
      pool.free(pair)
    },
  }
}

// ── Messages of the fork ─────────────────────────────────────────────────────────────────────────────

/** What the solution's fork reports about the source before any of it has run. */
interface Checked {
  readonly compiled: boolean
  readonly errors: readonly Diagnostic[]
  readonly notes: readonly Diagnostic[]
  readonly defined: CodeReport['defined']
}

/** The fork of a solution after it has started. */
interface Begun {
  readonly sample: Fork
  readonly checked: Checked | Fault
  /** Resolves with the fault if the solution ends too early, because it ended itself or exceeded its time. */
  readonly fault: Promise<Fault>
  /** Stops the timer for the time limit. */
  readonly release: () => void
}

type Begin = (server: ForkServer, core: number | null, others?: readonly number[]) => Promise<Begun>

/** The parameters for starting a fork. */
interface Beginning {
  readonly work: CodeWork
  readonly filter: boolean
  readonly nonce: string
  /** Library modules that are imported before the solution is loaded. */
  readonly imports: readonly string[]
  /**
   * Process numbers of other processes that work for this fork, such as the tester's server. The solution may wait
   * for them, so it counts as idle only if they are idle too.
   */
  readonly others: readonly number[]
}

/**
 * Starts a fork and waits for its first message. Rejects with `SandboxError` if the start fails and the solution
 * is not the cause.
 */
async function beginOn(
  server: ForkServer,
  core: number | null,
  { work, filter, nonce, imports, others }: Beginning,
): Promise<Begun> {
  const { limits, signal } = work
  const task = encodeFrame({
    files: work.files,
    main: work.main,
    module: work.module,
    support: testFiles(work.support).shared,
    define: work.define,
    run: work.tests !== null,
    path: packageFolder(work.vendor),
    nonce,
    imports,
  })
  const sample = await server.fork({ ...limits, filter }, task, core)
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let unwatch = (): void => {}
    const release = (): void => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', abort)
    }
    const fault = new Promise<Fault>((tell) => {
      timer = setTimeout(() => tell(slow(limits)), limits.cpuMs * WALL_FACTOR)
      unwatch = whenIdle([server.pid, ...others], limits.cpuMs, () => tell(idleFault(limits)))
      const end = (gone: Gone): void => {
        if (gone !== 'unborn') {
          tell(faultOf(gone, limits))
          return
        }
        release()
        reject(new SandboxError('the Python server could not fork'))
      }
      void sample.gone.then(end)
    })
    const settle = (checked: Checked | Fault): void => resolve({ sample, checked, fault, release })
    // The work was aborted. This ends the wait. Nobody reads the fault that is passed here.
    const abort = (): void => settle(slow(limits))
    signal.addEventListener('abort', abort, { once: true })
    sample.listen((frame) => {
      // `listen(null)` keeps later messages until `runInProcess`, which runs the tests, reads them.
      sample.listen(null)
      settle(decodeFrame(frame) as Checked)
    })
    void fault.then(settle)
  })
}

const crashed = (file: string, { text }: Fault): Checked => ({
  compiled: false,
  errors: [{ file, line: 1, column: 1, code: null, message: `the compiler gave up: ${text}` }],
  notes: [],
  defined: null,
})

const pythonFiles = ({ files }: CodeWork): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path.endsWith('.py')))

/** Ruff's name for the Python version: `3.11.2` becomes `py311`. */
const targetOf = ({ version }: Interpreter): string =>
  `py${version.split('.').slice(0, 2).join('')}`
