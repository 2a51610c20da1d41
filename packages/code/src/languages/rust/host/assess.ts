/**
 * Does all of the work on one Rust solution, from its files to the report. The host itself only splits the source
 * into tokens, to check and prepare it. One sandbox checks, lints and builds the solution. Another sandbox runs it.
 */
import type { CodeReport, CodeWork, Diagnostic, Fault, TestResult } from '../../../language.ts'
import { breakdown, buildSolution, type Built } from './build.ts'
import { EDITION } from './edition.ts'
import { preparedTests, type ListsTests, type PreparedTests } from './tests/prepared-tests.ts'
import type { Crates } from './crates.ts'
import { readDiagnostics, type Said } from './diagnostics.ts'
import { withFolder } from './includes.ts'
import { definedIn } from './source/items.ts'
import { lieIn } from './lies.ts'
import { runProgram, type Ran } from './run.ts'
import { ready, refusal } from './silence.ts'
import { allSkipped, TestsFault } from '../../../fault/tests-fault.ts'
import type { Sandbox } from '@assay/sandbox'
import type { Toolchain } from './toolchain.ts'

/** Resources that `assess` uses and its caller provides. */
export interface Workshop extends ListsTests {
  readonly sandbox: Sandbox
  readonly toolchain: Toolchain
  /** The path of the harness: the library that runs the tests and reports their results. */
  readonly harness: string
  /** The folder that programs are written to before they run. */
  readonly folder: string
  readonly crates: Crates | null
  /** Throws `SandboxError` if not even a program of Assay, without a solution, runs in the sandbox. */
  proveSandbox(): Promise<void>
}

export const CALLS =
  'tests as data (calls) are not available for Rust: write them as #[test] functions'

export async function assess(shop: Workshop, work: CodeWork): Promise<CodeReport> {
  const refused = refusalOf(work)
  if (refused !== null) return notCompiled([refused], work)
  const main = ready(work.main, work.files[work.main] ?? '')
  const others = Object.entries(work.files)
    .filter(([path]) => path !== work.main)
    .map(([path, source]) => ({ path, ...ready(path, source) }))
  const silenced = [main, ...others].flatMap((one) => one.silenced)
  const isAlone = others.length === 0 && Object.keys(work.support).length === 0
  const rooted = isAlone ? (text: string): string => text : withFolder
  const edition = work.edition ?? EDITION
  const crate =
    work.tests?.kind === 'source'
      ? await preparedTests(rooted(main.withStd), work.tests.source, shop, work)
      : null
  let said: Said | null = null
  const built = await buildSolution(shop.sandbox, shop.toolchain, shop.harness, {
    root: rooted(main.text),
    files: { ...work.support, ...Object.fromEntries(others.map(({ path, text }) => [path, text])) },
    folder: folderOf(work.main),
    lint: work.lint,
    allowUnsafe: work.allowUnsafe,
    edition,
    crates: shop.crates,
    signal: work.signal,
    next: (check) => {
      said = readDiagnostics(check.words, nameIn(work))
      const broken = breakdown(check, false, said.rest) !== null || said.errors.length > 0
      const untestable = crate === null || crate.inventory.names.length === 0
      return broken || untestable || crate.inventory.refused !== null ? null : crate
    },
  })
  const check = said ?? readDiagnostics(built.check.words, nameIn(work))
  const fault = breakdown(built.check, built.late && built.build === null, check.rest)
  if (fault !== null || check.errors.length > 0) {
    const errors = check.unsafe ? unsafeFirst(check.errors) : check.errors
    return notCompiled(fault === null ? errors : [plain(work.main, fault.text), ...errors], work, {
      notes: check.notes,
      fault,
    })
  }
  const counted = check.lints.filter(({ file }) => !(file in work.support))
  const tested = await test(shop, work, crate, built)
  return {
    compiled: true,
    errors: [],
    notes: check.notes,
    tests: tested.tests,
    ...(tested.tests === null || !crate?.inventory.ignored.length
      ? {}
      : { skipped: crate.inventory.ignored }),
    ...(tested.unready === undefined ? {} : { unready: tested.unready }),
    warnings: work.lint ? [...silenced, ...counted] : null,
    defined: work.define ? definedBy(work) : null,
    fault: tested.fault,
  }
}

// ── Before compiling ─────────────────────────────────────────────────────────────────────────────────

function refusalOf({ files, main, support }: CodeWork): Diagnostic | null {
  if (!(main in files)) return plain(main, `the answer has no file ${main}`)
  for (const [path, source] of Object.entries(files)) {
    const why = isPath(path) ? refusal(source) : 'not a path inside the answer'
    if (why !== null) return plain(path, why)
  }
  const both = Object.keys(files).find((path) => path in support)
  return both === undefined ? null : plain(both, 'the case brings this file itself')
}

const isPath = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  !/[\0\n\\]/u.test(path)

const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'

const plain = (file: string, message: string): Diagnostic => ({
  file,
  line: 1,
  column: 1,
  code: null,
  message,
})

/**
 * Returns a function that maps the compiler's file names to the names of the solution's files. The compiler reads the
 * main file from a pipe. So its file names are relative to the folder of the main file.
 */
function nameIn({ main }: CodeWork): (file: string) => string {
  const folder = main.includes('/') ? `${folderOf(main)}/` : ''
  return (file) => (file === '' || file.startsWith('<') ? main : `${folder}${file}`)
}

/**
 * Collects the definitions of the main file and of all files that it includes by `mod name;`. A file is found by its
 * name, in any folder.
 */
function definedBy({ files, main }: CodeWork): CodeReport['defined'] {
  const functions = new Set<string>()
  const types = new Set<string>()
  const waiting = [main]
  const seen = new Set(waiting)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = definedIn(files[path] ?? '')
    for (const name of found.functions) functions.add(name)
    for (const name of found.types) types.add(name)
    for (const other of Object.keys(files)) {
      const isNamed = found.modules.some(
        (name) => `/${other}`.endsWith(`/${name}.rs`) || `/${other}`.endsWith(`/${name}/mod.rs`),
      )
      if (!isNamed || seen.has(other)) continue
      seen.add(other)
      waiting.push(other)
    }
  }
  return { functions: [...functions], types: [...types] }
}

// ── Making the report ────────────────────────────────────────────────────────────────────────────────

function notCompiled(
  errors: readonly Diagnostic[],
  { lint, define }: CodeWork,
  found: { readonly notes: readonly Diagnostic[]; readonly fault: Fault | null } = {
    notes: [],
    fault: null,
  },
): CodeReport {
  return {
    compiled: false,
    errors,
    ...found,
    tests: null,
    warnings: lint ? [] : null,
    defined: define ? { functions: [], types: [] } : null,
  }
}

const unsafeFirst = (errors: readonly Diagnostic[]): Diagnostic[] => [
  ...errors.filter(({ code }) => code === 'unsafe_code'),
  ...errors.filter(({ code }) => code !== 'unsafe_code'),
]

type Tested = Pick<CodeReport, 'tests' | 'fault' | 'unready'>

async function test(
  shop: Workshop,
  work: CodeWork,
  crate: PreparedTests | null,
  built: Built,
): Promise<Tested> {
  const { tests } = work
  if (tests === null) return { tests: null, fault: null }
  if (tests.kind === 'calls')
    return {
      tests: allFailed(
        tests.calls.map((_, index) => `call ${index + 1}`),
        CALLS,
      ),
      fault: null,
    }
  if (crate === null) return { tests: [], fault: null }
  const { names, ignored, refused } = crate.inventory
  if (refused !== null) throw new TestsFault(refused)
  if (names.length === 0)
    throw new TestsFault(
      ignored.length > 0 ? allSkipped(ignored.length) : 'there is no test in them',
    )
  const lie = lieIn(Object.values(work.files).join('\n'), tests.source)
  if (lie !== null) return { tests: allFailed(names, lie), fault: null }
  const { build, program } = built
  if (build === null || build.code !== 0 || program === null)
    return notBuilt(shop, work, crate, built)
  const { sandbox, folder, toolchain } = shop
  const ran = await runProgram(program, {
    sandbox,
    folder,
    std: toolchain.std,
    limits: work.limits,
    signal: work.signal,
  })
  // If the program did not become ready, either the sandbox is broken or the solution is at fault. The sandbox is
  // checked first. If the sandbox works, the solution is at fault, for example because its static data is too large
  // to load. (No safe code of the solution runs before the program is ready.)
  if (!ran.ready) await shop.proveSandbox()
  const fault = ran.ready || ran.fault === null ? ran.fault : unready(ran.fault)
  return {
    tests: names.map((name, index) => resultOf(name, index, { ...ran, fault }, crate, work)),
    fault,
  }
}

const unready = ({ kind, text }: Fault): Fault => ({
  kind,
  text:
    kind === 'exit'
      ? `ended before the first test could begin: ${text}`
      : 'could not be loaded: its static data need more memory than it may have, most likely',
})

/** Returns failed results for all tests. The first gets the text `message`, and all others get the text `others`. */
const allFailed = (
  names: readonly string[],
  message: string,
  others: string = message,
): TestResult[] =>
  names.map((name, index) => ({ name, passed: false, message: index === 0 ? message : others }))

/**
 * Reports that the solution compiles alone but not together with the tests. The cause is that it lacks an item that
 * the tests use, or that an item has another type than the tests need.
 */
async function notBuilt(
  shop: Workshop,
  work: CodeWork,
  crate: PreparedTests,
  { build, late }: Built,
): Promise<Tested> {
  const { names } = crate.inventory
  const said = readDiagnostics(build?.words ?? '', nameIn(work))
  const fault = breakdown(build ?? { code: null, words: '' }, late, said.rest)
  const [first] = said.errors
  const message =
    fault?.text ??
    (first === undefined
      ? 'the sample could not be built together with the tests'
      : `does not compile with the tests: ${where(first.line, first.file, crate, work)}: ${first.message}${first.code === null ? '' : ` (${first.code})`}`)
  if (fault === null && first?.code === null && isInTests(first, crate, work))
    await refuseBroken(shop, work)
  return {
    tests: allFailed(names, message, 'not run: it does not compile with the tests'),
    fault,
    ...(fault === null && first !== undefined ? { unready: { text: message } } : {}),
  }
}

const isInTests = (
  { line, file }: Diagnostic,
  { firstLine }: PreparedTests,
  { main }: CodeWork,
): boolean => file === main && line >= firstLine

/**
 * Compiler errors that begin like this are about undefined names. A solution may define these names, so such an error
 * does not show that the tests are broken.
 */
const OF_NAMES = /^cannot (?:find|determine)/u

/**
 * Throws `TestsFault` if the tests alone do not parse as Rust. The compiler parses a whole program before it looks up
 * names, and parse errors have no error code, so they can be told apart from missing names. A macro of the solution
 * could cause a parse error too, so the tests are compiled here without any solution.
 */
async function refuseBroken(shop: Workshop, work: CodeWork): Promise<void> {
  if (work.tests?.kind !== 'source') return
  const edition = work.edition ?? EDITION
  const crate = await preparedTests('', work.tests.source, shop, work)
  const { build } = await buildSolution(shop.sandbox, shop.toolchain, shop.harness, {
    root: '',
    files: {},
    folder: '.',
    lint: false,
    allowUnsafe: false,
    edition,
    crates: shop.crates,
    signal: work.signal,
    next: () => crate,
  })
  const [first] = readDiagnostics(build?.words ?? '', nameIn(work)).errors
  if (first === undefined || first.code !== null || OF_NAMES.test(first.message)) return
  throw new TestsFault(`${where(first.line, first.file, crate, work)}: ${first.message}`)
}

function where(line: number, file: string, crate: PreparedTests, { main }: CodeWork): string {
  if (file !== main || line < crate.firstLine) return `${file}:${line}`
  const origin = crate.originOf(line - crate.firstLine + 1)
  return `${origin.file ?? 'tests'}:${origin.line}`
}

function resultOf(
  name: string,
  index: number,
  ran: Ran,
  crate: PreparedTests,
  work: CodeWork,
): TestResult {
  const found = ran.results.get(index)
  if (found === undefined)
    return { name, passed: false, message: ran.fault?.text ?? 'the test did not report a result' }
  if (found.passed) return { name, passed: true }
  const at = found.line === 0 ? '' : `${where(found.line, work.main, crate, work)}: `
  return { name, passed: false, message: `${at}${found.message}` }
}
