/**
 * Python test files that were not written for Assay. References pass unchanged, and mutants fail exactly where the
 * plain tool, unittest or pytest, fails them.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeTools } from '../packages/code/src/open-tools.ts'
import { codeOptions, gradeCode } from '../packages/code/src/grade-code.ts'
import { isPythonReady } from '../packages/code/test/try-python.ts'
import { fakeCase } from '../packages/assay/test/fakes.ts'
import type { GraderOutput } from '@assay/contract'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { pythonCorpus, type Exercise } from './foreign/python-corpus.ts'

const PYTHON = '/usr/bin/python3'
const PLAIN = fileURLToPath(new URL('foreign/python-plain.py', import.meta.url))

const hasPytest = (): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import pytest'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const isReady = (await isPythonReady()) && hasPytest()

type Outcomes = Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>

/** The results of the plain tool for each solution: first the reference, then the mutants. */
function plainOutcomes(exercises: readonly Exercise[]): Map<string, Outcomes[]> {
  const jobs = exercises.flatMap(
    ({ reference, mutants, solution, testFile, tests, helpers, tool }) =>
      [reference, ...mutants].map((code) => ({
        tool,
        tests: testFile,
        files: { ...helpers, [solution]: code, [testFile]: tests },
      })),
  )
  const printed = execFileSync(PYTHON, ['-I', PLAIN], {
    input: JSON.stringify(jobs),
    maxBuffer: 2 ** 26,
    encoding: 'utf8',
  })
  const all = JSON.parse(printed) as Outcomes[]
  return new Map(
    exercises.map(({ name, mutants }) => [name, all.splice(0, 1 + mutants.length)] as const),
  )
}

const withoutParameters = (name: string): string => name.replace(/(?:\[.*| #\d+)$/s, '')

const failedIn = (outcomes: Outcomes): string[] =>
  [
    ...new Set(
      Object.entries(outcomes)
        .filter(([, outcome]) => outcome === 'failed')
        .map(([name]) => withoutParameters(name)),
    ),
  ].toSorted()

/** The names of failed tests, only those that the plain tool knows too. */
function failedNames({ evidence }: GraderOutput, known: ReadonlySet<string>): string[] {
  const [, list = ''] =
    /^failed tests:\n([\s\S]*?)(?:\n\nskipped tests:|$(?![\s\S]))/m.exec(evidence ?? '') ?? []
  const found = list
    .split('\n')
    .flatMap((line) => /^([\w.]+)(?:\[.*?\])?(?: #\d+)?(?::|$)/.exec(line)?.[1] ?? [])
  return [...new Set(found.filter((name) => known.has(name)))].toSorted()
}

describe.skipIf(!isReady)('Python tests from elsewhere', () => {
  const corpus = pythonCorpus()
  let sandbox: Sandbox
  let plain: Map<string, Outcomes[]>
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
    plain = plainOutcomes(corpus)
  }, 120_000)
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
  })

  const grade = (exercise: Exercise, code: string, options: object = {}): Promise<GraderOutput> =>
    gradeCode(
      {
        case: fakeCase(exercise.name, {
          language: 'python',
          tests: exercise.tests,
          reference: exercise.reference,
          files: exercise.helpers,
          lint: 'off',
          hash: `foreign ${exercise.name}`,
        }),
        answer: `\`\`\`python\n${code}\`\`\`\n`,
        files: {},
        folder: null,
      },
      codeOptions.parse(options),
      { signal: new AbortController().signal, timeoutMs: 10_000, sandbox },
    )

  it('are at least 40, with three mutants each', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(40)
    for (const { name, mutants } of corpus) expect([name, mutants.length]).toEqual([name, 3])
  })

  it.each(corpus.map((one) => [one.name, one] as const))(
    '%s: the verdicts are those of the plain tool',
    async (name, exercise) => {
      const [reference = {}, ...mutants] = plain.get(name) ?? []
      expect(failedIn(reference)).toEqual([])
      const right = await grade(exercise, exercise.reference)
      expect([right.passed, right.reason]).toEqual([true, right.reason])
      for (const [index, code] of exercise.mutants.entries()) {
        const outcomes = mutants[index] ?? {}
        const output = await grade(exercise, code)
        const facts = output.facts as { failed: number; skipped?: number }
        const failed = failedIn(outcomes)
        const mutant = `mutant ${index + 1}`
        expect([mutant, output.passed, output.reason]).toEqual([
          mutant,
          failed.length === 0,
          output.reason,
        ])
        // Tests that cannot be loaded have no names in one of the two tools.
        if (Object.keys(outcomes).some((one) => one.startsWith('<'))) continue
        const known = new Set(Object.keys(outcomes).map(withoutParameters))
        if (UNNAMED.has(name)) continue
        expect([mutant, failedNames(output, known)]).toEqual([mutant, failed])
        if (output.integrity !== 'isolated') continue
        const count = (what: string): number =>
          Object.values(outcomes).filter((one) => one === what).length
        expect([mutant, facts.failed, facts.skipped ?? 0]).toEqual([
          mutant,
          count('failed'),
          count('skipped'),
        ])
      }
    },
    60_000,
  )

  it.each(corpus.map((one) => [one.name, one] as const))(
    '%s: the verdicts are the same in the process of the solution',
    async (name, exercise) => {
      if (REFUSED_IN_PROCESS.has(name)) return
      const solutions = [exercise.reference, ...exercise.mutants]
      for (const [index, outcomes] of (plain.get(name) ?? []).entries()) {
        const output = await grade(exercise, solutions[index] ?? '', { integrity: 'in-process' })
        const isRight = failedIn(outcomes).length === 0
        expect([index, output.passed, output.reason]).toEqual([index, isRight, output.reason])
      }
    },
    60_000,
  )
})

/** They compare an object of the solution with a number, and catch the error. docs/guides/code.md explains this. */
const REFUSED_IN_PROCESS = new Set(['dataclass_points'])

/** Their tests are created in a loop and have only one name in Assay. */
const UNNAMED = new Set(['generated_tests'])
