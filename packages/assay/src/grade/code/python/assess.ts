/**
 * All of the work on one sample: a fork for it, what the compiler says, then its tests and the linter at
 * once. Whatever ends the sample before its time is a fault in the report; only what fails before the
 * sample was there is an error.
 */
import { decodeFrame, encodeFrame } from '../frames.ts'
import {
  WALL_FACTOR,
  type CodeReport,
  type CodeWork,
  type Diagnostic,
  type Fault,
} from '../language.ts'
import { makeNonce, tryBeside, type Inventories } from './beside.ts'
import { faultOf, slow } from './faults.ts'
import type { Fork } from './forks.ts'
import type { Interpreter } from './interpreter.ts'
import type { Linters } from './lint.ts'
import { warmFor, type Kind, type PythonServers } from './servers.ts'
import { tryOut, type Course, type Tested } from './trial.ts'
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
  const ended = watch(place.sample, work)
  try {
    place.sample.send(
      encodeFrame({
        files: work.files,
        main: work.main,
        support: work.support,
        define: work.define,
        run: work.tests !== null,
        path: packageFolder(work.vendor),
        nonce: place.nonce,
      }),
    )
    const checked = await firstWord(place.sample, ended.fault, signal)
    if (!('compiled' in checked) || !checked.compiled) {
      const report = 'compiled' in checked ? checked : crashed(work.main, checked)
      const fault = 'compiled' in checked ? null : checked
      return { ...report, tests: null, warnings: null, fault }
    }
    // Both at once; should one fail, the other is not left behind.
    const [warnings, tested] = await Promise.allSettled([
      work.lint ? tools.linters.lint(pythonFiles(work), targetOf(tools.interpreter)) : null,
      place.test({ limits: work.limits, over: ended.fault, stop: signal }),
    ])
    signal.throwIfAborted()
    if (warnings.status === 'rejected') throw warnings.reason
    if (tested.status === 'rejected') throw tested.reason
    return {
      ...checked,
      tests: tested.value?.tests ?? null,
      warnings: warnings.value,
      fault: tested.value?.fault ?? null,
    }
  } finally {
    ended.release()
    await place.leave()
  }
}

// ── Where it runs ────────────────────────────────────────────────────────────────────────────────────

/** A sample's fork, and what is done with it there. */
interface Place {
  readonly sample: Fork
  readonly nonce: string
  test(course: Course): Promise<Tested | null>
  leave(): Promise<void>
}

async function placeFor(work: CodeWork, tools: Tools): Promise<Place> {
  const { tests, support } = work
  const limits = { ...work.limits, filter: tools.filter }
  const nonce = makeNonce()
  const beside = tests?.kind === 'source' && work.integrity === 'inventory' ? tests : null
  const kind: Kind = {
    role: beside === null ? 'sample' : 'beside',
    packages: packageFolder(work.vendor),
    scratch: beside !== null || Object.keys(support).some((path) => !path.endsWith('.py')),
    warm: warmFor([...Object.values(work.files), beside?.source ?? '']),
  }
  if (tests !== null && beside === null) return pairedPlace(work, kind, tools)

  const expected = beside === null ? [] : await tools.inventories.of(beside)
  const pool = tools.servers.single(kind)
  const { one, begun: sample } = await pool.take((server) => server.fork(limits))
  return {
    sample,
    nonce,
    async test(course) {
      return beside === null ? null : tryBeside(sample, beside, expected, { nonce, ...course })
    },
    async leave() {
      await sample.end()
      pool.free(one)
    },
  }
}

async function pairedPlace(work: CodeWork, kind: Kind, tools: Tools): Promise<Place> {
  const { tests, limits, main } = work
  const { packages } = kind
  const warm = warmFor(tests?.kind === 'source' ? [tests.source] : [])
  const pool = tools.servers.pairs(kind, { role: 'judge', packages, scratch: false, warm })
  const key = JSON.stringify(tests)
  const { one: pair, begun: sample } = await pool.take(
    (one) => one.sample.fork({ ...limits, filter: tools.filter }),
    (one) => one.holds(key),
  )
  let isKept = true
  let rested: Promise<void> | undefined
  return {
    sample,
    nonce: '',
    async test(course) {
      // Until the judge is as good as new, it is not.
      isKept = false
      sample.hush()
      const judge = await pair.judge(key)
      const modules = Object.keys({ ...work.support, ...work.files })
      const task = { tests, modules, main, path: packages, list: false }
      const tested = await tryOut(judge, task, course)
      isKept = tested.again
      if (isKept) rested = judge.rest()
      return tested
    },
    async leave() {
      // In this order: the lines are cleared when nobody writes to them any more.
      await Promise.all([sample.end(), rested])
      if (!isKept) await pair.dismiss()
      pool.free(pair)
    },
  }
}

// ── What it says ─────────────────────────────────────────────────────────────────────────────────────

/** What the sample's fork says of the source before any of it has run. */
interface Checked {
  readonly compiled: boolean
  readonly errors: readonly Diagnostic[]
  readonly notes: readonly Diagnostic[]
  readonly defined: CodeReport['defined']
}

/** What ends the sample before it is asked to: its own doing, or the clock. */
function watch(
  sample: Fork,
  { limits }: CodeWork,
): { readonly fault: Promise<Fault>; release(): void } {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Fault>((resolve) => {
    timer = setTimeout(() => resolve(slow(limits)), limits.cpuMs * WALL_FACTOR)
  })
  const left = sample.gone.then((gone) => faultOf(gone, limits))
  return { fault: Promise.race([left, late]), release: () => clearTimeout(timer) }
}

function firstWord(
  sample: Fork,
  over: Promise<Fault>,
  signal: AbortSignal,
): Promise<Checked | Fault> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    const settle = (value: Checked | Fault): void => {
      signal.removeEventListener('abort', abort)
      resolve(value)
    }
    sample.listen((frame) => {
      // What it says next is for whoever tests it.
      sample.listen(null)
      settle(decodeFrame(frame) as Checked)
    })
    void over.then(settle)
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

/** `3.11.2` is `py311` to ruff. */
const targetOf = ({ version }: Interpreter): string =>
  `py${version.split('.').slice(0, 2).join('')}`
