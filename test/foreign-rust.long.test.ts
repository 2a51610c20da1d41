/**
 * Test files in the styles of exercise tracks and cargo projects, not adapted to Assay. Each has a reference, which
 * passes, and three mutants of it, which fail the same tests here as with plain cargo.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../packages/assay/test/fakes.ts'
import { extractCode } from '../packages/code/src/extract/extract.ts'
import { caseWork, codeOptions } from '../packages/code/src/grade-code.ts'
import type { CodeReport, LanguageTools } from '../packages/code/src/language.ts'
import { rust } from '../packages/code/src/languages/rust/rust.ts'

const CORPUS = fileURLToPath(new URL('foreign/rust', import.meta.url))
const MUTANTS = 3

interface Exercise {
  readonly name: string
  readonly tests: string
  /** True if the tests belong at the end of the solution's file. */
  readonly isUnit: boolean
  /** Other files of the tests, by their path in the crate. */
  readonly files: Readonly<Record<string, string>>
  /** The reference, then its mutants. */
  readonly solutions: readonly string[]
  readonly includeIgnored: boolean
  readonly edition: string
  /** Solutions that cargo refuses and Assay accepts, by index: `private` if only `pub` is missing. */
  readonly differs: Readonly<Record<string, 'private'>>
}

const exercises = readdirSync(CORPUS).map((name): Exercise => {
  const read = (path: string): string => readFileSync(join(CORPUS, name, path), 'utf8')
  const paths = readdirSync(join(CORPUS, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(CORPUS, name).length + 1))
  const isUnit = paths.includes('unit.rs')
  const reference = read('reference.rs')
  const mutants = JSON.parse(read('mutants.json')) as [string, string][]
  const options = paths.includes('options.json')
    ? (JSON.parse(read('options.json')) as Partial<Exercise>)
    : {}
  return {
    includeIgnored: false,
    edition: '2021',
    differs: {},
    ...options,
    name,
    tests: read(isUnit ? 'unit.rs' : 'tests.rs'),
    isUnit,
    files: Object.fromEntries(
      paths.filter((path) => path.startsWith('tests/')).map((path) => [path, read(path)]),
    ),
    solutions: [reference, ...mutants.map(([from, to]) => reference.replace(from, () => to))],
  }
})

/** The result of one solution. */
interface Outcome {
  /** False if solution and tests do not compile together. */
  readonly compiles: boolean
  readonly tests: Readonly<Record<string, 'ok' | 'failed' | 'ignored'>>
}

const passes = ({ compiles, tests }: Outcome): boolean =>
  compiles && Object.values(tests).every((one) => one !== 'failed')

/** Does the work for all items, as many at once as there are cores. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const loop = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, loop))
}

// ── Plain cargo ──────────────────────────────────────────────────────────────────────────────────────

const members = exercises.flatMap((exercise) =>
  exercise.solutions.map((source, index) => ({
    id: `${exercise.name}-${index}`,
    exercise,
    index,
    source,
  })),
)

function writeWorkspace(folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write(
    'Cargo.toml',
    `[workspace]\nresolver = "2"\nmembers = ["*-?"]\n[profile.dev]\ndebug = 0\nincremental = false\n`,
  )
  for (const { id, exercise, source } of members) {
    const { name, tests, isUnit, files, edition } = exercise
    write(
      `${id}/Cargo.toml`,
      [
        `[package]\nname = "${id}"\nversion = "0.0.0"\nedition = "${edition}"\nautotests = false`,
        `[lib]\nname = "${name}"\ndoctest = false\ntest = ${isUnit}`,
        isUnit ? '' : '[[test]]\nname = "it"\npath = "tests/it.rs"',
      ].join('\n'),
    )
    write(`${id}/src/lib.rs`, isUnit ? `${source}\n${tests}` : source)
    if (!isUnit) write(`${id}/tests/it.rs`, tests)
    for (const [path, text] of Object.entries(files)) write(`${id}/${path}`, text)
  }
}

/** Never rejects, because a failed program is a result too. */
const run = (
  file: string,
  args: readonly string[],
  timeout: number,
  env: object = {},
): Promise<string> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 2 ** 28, timeout }
    execFile(file, [...args], options, (_, stdout) => resolve(stdout))
  })

async function cargoOutcomes(folder: string): Promise<Map<string, Outcome>> {
  writeWorkspace(folder)
  const manifest = ['--manifest-path', join(folder, 'Cargo.toml'), '--workspace', '--offline']
  const said = await run(
    'cargo',
    ['build', ...manifest, '--tests', '--keep-going', '--message-format=json', '--quiet'],
    900_000,
    { CARGO_TARGET_DIR: join(folder, 'target') },
  )
  const programs = new Map<string, string>()
  for (const line of said.split('\n').filter((one) => one.startsWith('{'))) {
    const { reason, executable, manifest_path, profile } = JSON.parse(line) as {
      reason: string
      executable?: string | null
      manifest_path: string
      profile?: { test: boolean }
    }
    if (reason === 'compiler-artifact' && executable != null && profile?.test === true)
      programs.set(basename(dirname(manifest_path)), executable)
  }
  const outcomes = new Map<string, Outcome>()
  await each(members, async ({ id, exercise }) => {
    const program = programs.get(id)
    const flags = ['--test-threads=1', ...(exercise.includeIgnored ? ['--include-ignored'] : [])]
    const printed = program === undefined ? '' : await run(program, flags, 60_000)
    const tests: Record<string, 'ok' | 'failed' | 'ignored'> = {}
    for (const [, name = '', how = ''] of printed.matchAll(
      /^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)/gmu,
    ))
      tests[name] = how === 'FAILED' ? 'failed' : (how as 'ok' | 'ignored')
    outcomes.set(id, { compiles: program !== undefined, tests })
  })
  return outcomes
}

// ── Assay ────────────────────────────────────────────────────────────────────────────────────────────

const caseOf = ({ name, tests, files, solutions, includeIgnored, edition }: Exercise): Case =>
  fakeCase(name.replaceAll('_', '-'), {
    language: 'rust',
    tests,
    files,
    reference: solutions[0] ?? null,
    includeIgnored,
    edition: edition === '2021' ? null : edition,
    lint: 'off',
  })

async function assayOutcome(
  tools: LanguageTools,
  exercise: Exercise,
  source: string,
): Promise<Outcome> {
  const one = caseOf(exercise)
  const extracted = extractCode(`Here it is:\n\n\`\`\`rust\n${source}\`\`\`\n`, {}, one, rust)
  if (extracted === null) throw new Error(`${exercise.name}: no code was found`)
  const work = caseWork(one, null, codeOptions.parse({}), {
    signal: new AbortController().signal,
    timeoutMs: 20_000,
  })
  const report: CodeReport = await tools.assess({ ...work(extracted), integrity: 'in-process' })
  const isUnready = report.unready !== undefined
  return {
    compiles: report.compiled && !isUnready,
    tests: isUnready
      ? {}
      : Object.fromEntries([
          ...(report.tests ?? []).map(({ name, passed }) => [name, passed ? 'ok' : 'failed']),
          ...(report.skipped ?? []).map((name) => [name, 'ignored']),
        ]),
  }
}

const isReady =
  (await inspectSandbox()).ready && (await rust.inspect()).every(({ how }) => how === undefined)

describe.skipIf(!isReady)('Rust tests that people already have', () => {
  let sandbox: Sandbox
  let tools: LanguageTools
  let folder: string
  const plain = new Map<string, Outcome>()
  const ours = new Map<string, Outcome>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-foreign-'))
    sandbox = await openSandbox('auto')
    tools = rust.open(sandbox)
    for (const [id, outcome] of await cargoOutcomes(folder)) plain.set(id, outcome)
    await each(members, async ({ id, exercise, source }) => {
      // If Assay says that the tests are at fault, the exercise is shown.
      const failed = (error: unknown): Outcome => ({
        compiles: false,
        tests: { [String(error)]: 'failed' },
      })
      ours.set(id, await assayOutcome(tools, exercise, source).catch(failed))
    })
  }, 1_200_000)

  afterAll(async () => {
    await tools?.close()
    await sandbox?.close()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  it('are at least 40 files, each with a reference and three different mutants', () => {
    expect(exercises.length).toBeGreaterThanOrEqual(40)
    for (const { name, solutions } of exercises)
      expect([name, new Set(solutions).size]).toEqual([name, MUTANTS + 1])
  })

  it.each(exercises)(
    '$name: the reference passes, and mutants fail where cargo fails them',
    (one) => {
      one.solutions.forEach((_, index) => {
        const id = `${one.name}-${index}`
        const [expected, actual] = [plain.get(id), ours.get(id)]
        if (expected === undefined || actual === undefined) throw new Error(`${id} was not graded`)
        expect([id, passes(expected)]).toEqual([id, index === 0])
        if (one.differs[index] === undefined) expect([id, actual]).toEqual([id, expected])
        // Tests can use what is not public, so a missing `pub` is not an error here.
        else expect([id, passes(actual), expected.compiles]).toEqual([id, true, false])
      })
    },
  )
})
