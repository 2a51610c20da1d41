/**
 * Python. Samples run in forks of a warm interpreter; hidden tests run in forks of another one, in another
 * sandbox, and reach the sample by values (`trial.ts`) or, where they must, beside it (`beside.ts`).
 */
import { SandboxError, type Sandbox } from '../../../sandbox/index.ts'
import { decodeFrame, encodeFrame } from '../frames.ts'
import {
  WALL_FACTOR,
  type CodeReport,
  type CodeWork,
  type Diagnostic,
  type Fault,
  type Language,
  type LanguageTools,
} from '../language.ts'
import { Inventories, makeNonce, tryBeside } from './beside.ts'
import { faultOf, slow } from './faults.ts'
import type { Fork } from './forks.ts'
import { findInterpreter, isTooOld, OLDEST, type Interpreter } from './interpreter.ts'
import { Linters, ruffVersion } from './lint.ts'
import { PythonServers, warmFor } from './servers.ts'
import { tryOut, type Tested } from './trial.ts'
import { missingPackages, packageFolder } from './vendored.ts'

const JUDGE_BYTES = 1024 * 2 ** 20

export const python: Language = {
  name: 'python',
  fences: ['python', 'py', 'python3', 'py3', 'pycon'],
  main: 'solution.py',
  endings: ['.py'],
  values: true,

  async inspect() {
    const found = await findInterpreter()
    const isUsable = found !== null && !isTooOld(found)
    const ruff = ruffVersion()
    return [
      {
        name: 'python3',
        version: found?.version ?? null,
        ...(isUsable
          ? {}
          : {
              how: `Install Python ${OLDEST.join('.')} or newer (Debian, Ubuntu: apt install python3).`,
            }),
      },
      { name: 'ruff', version: ruff, ...(ruff === null ? { how: 'Run npm ci.' } : {}) },
    ]
  },

  async missing(dependencies, vendor) {
    return missingPackages(dependencies, vendor)
  },

  open: (sandbox) => openPython(sandbox),
}

/** `filter`: whether samples give up starting processes; off only to test what holds without it. */
export function openPython(sandbox: Sandbox, { filter = true } = {}): LanguageTools {
  const linters = new Linters(sandbox)
  let opened: Promise<Opened> | undefined

  return {
    async assess(work) {
      work.signal.throwIfAborted()
      opened ??= open(sandbox)
      const tools = await opened
      return assess(work, { ...tools, linters, filter })
    },
    async close() {
      await Promise.all([
        linters.close(),
        opened?.then(
          ({ servers }) => servers.close(),
          () => {},
        ),
      ])
    },
  }
}

interface Opened {
  readonly interpreter: Interpreter
  readonly servers: PythonServers
  readonly inventories: Inventories
}

interface Tools extends Opened {
  readonly linters: Linters
  readonly filter: boolean
}

async function open(sandbox: Sandbox): Promise<Opened> {
  const interpreter = await findInterpreter()
  if (interpreter === null) throw new SandboxError('there is no python3 on this machine')
  const servers = new PythonServers(sandbox, interpreter)
  const judges = servers.of({ role: 'judge', packages: null, scratch: false, warm: [] })
  return { interpreter, servers, inventories: new Inventories(judges) }
}

/** What the sample's fork says of the source before any of it has run. */
interface Checked {
  readonly compiled: boolean
  readonly errors: readonly Diagnostic[]
  readonly notes: readonly Diagnostic[]
  readonly defined: CodeReport['defined']
}

async function assess(work: CodeWork, tools: Tools): Promise<CodeReport> {
  const { limits, signal, tests } = work
  const packages = packageFolder(work.vendor)
  const beside = tests?.kind === 'source' && work.integrity === 'inventory' ? tests : null
  const scratch = beside !== null || Object.keys(work.support).some((path) => !path.endsWith('.py'))
  const warm = warmFor([...Object.values(work.files), beside?.source ?? ''])
  const expected = beside === null ? [] : await tools.inventories.of(beside)
  const sample = await tools.servers
    .of({ role: beside === null ? 'sample' : 'beside', packages, scratch, warm })
    .fork({ ...limits, filter: tools.filter })
  const nonce = makeNonce()
  const ended = watch(sample, work)
  try {
    sample.send(
      encodeFrame({
        files: work.files,
        main: work.main,
        support: work.support,
        define: work.define,
        run: tests !== null,
        path: packages,
        nonce,
      }),
    )
    const checked = await firstWord(sample, ended.fault, signal)
    if (!('compiled' in checked) || !checked.compiled) {
      const report = 'compiled' in checked ? checked : crashed(work.main, checked)
      const fault = 'compiled' in checked ? null : checked
      return { ...report, tests: null, warnings: null, fault }
    }
    // Both at once; should one fail, the other is not left behind.
    const [warnings, tested] = await Promise.allSettled([
      work.lint ? tools.linters.lint(pythonFiles(work), targetOf(tools.interpreter)) : null,
      tests === null ? null : test(),
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
    await sample.end()
  }

  async function test(): Promise<Tested> {
    const course = { limits, over: ended.fault, stop: signal }
    if (beside !== null) return tryBeside(sample, beside, expected, { nonce, ...course })
    const source = tests?.kind === 'source' ? tests.source : ''
    const judging = { role: 'judge', packages, scratch: false, warm: warmFor([source]) } as const
    const judge = await tools.servers.of(judging).fork({
      cpuMs: limits.cpuMs * WALL_FACTOR + 5000,
      memoryBytes: JUDGE_BYTES,
      filter: true,
    })
    try {
      const modules = Object.keys({ ...work.support, ...work.files })
      return await tryOut(
        sample,
        judge,
        { tests, modules, main: work.main, path: packages, list: false },
        course,
      )
    } finally {
      await judge.end()
    }
  }
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
