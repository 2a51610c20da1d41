/**
 * Runs the exercises with the tools that they were written for: Node, or vitest (also for jest and mocha).
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Exercise } from './corpus.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Outcome {
  readonly isPassed: boolean
  readonly failed: number
}

/** Provides the globals of jest and mocha on top of those of vitest, including `done` and `this` in tests. */
const SETUP = `
import * as vitest from 'vitest'
const { vi, describe, beforeAll, afterAll, beforeEach, afterEach, expect } = vitest
const context = { timeout() { return this }, slow() { return this } }
const adapted = (fn) =>
  typeof fn !== 'function' ? fn : fn.length > 0 && !/^(?:async\\s*)?\\(?\\s*\\{/.test(String(fn))
    ? () => new Promise((resolve, reject) => fn.call(context, (error) => (error ? reject(error) : resolve())))
    : (...args) => fn.apply(context, args)
const wrapped = (base) => Object.assign((name, fn, ...rest) => base(name, adapted(fn), ...rest), { each: (...table) => base.each(...table), skip: base.skip, only: base.only, todo: base.todo })
const it = wrapped(vitest.it)
const suites = Object.assign((name, fn) => describe(name, () => fn.call(context)), { each: (...table) => describe.each(...table), skip: describe.skip, only: describe.only })
const hook = (base) => (fn) => base(adapted(fn))
Object.assign(globalThis, {
  jest: vi, expect, it, test: it, specify: it, describe: suites, suite: suites, context: suites,
  xit: it.skip, xtest: it.skip, xdescribe: describe.skip, fit: it.only, fdescribe: describe.only,
  before: hook(beforeAll), beforeAll: hook(beforeAll), after: hook(afterAll), afterAll: hook(afterAll),
  beforeEach: hook(beforeEach), afterEach: hook(afterEach), setup: hook(beforeEach), teardown: hook(afterEach),
})
`

const JEST_GLOBALS = `
import * as vitest from 'vitest'
export const { describe, expect, it, test, beforeAll, afterAll, beforeEach, afterEach, vi: jest } = vitest
export const xit = it.skip, xtest = it.skip, xdescribe = describe.skip, fit = it.only, fdescribe = describe.only
`

/** Writes every solution of an exercise together with its tests. Returns the test files. */
function write(into: string, exercise: Exercise): string[] {
  const { name, file, testFile, tests, solutions } = exercise
  const [, path = './x'] = /(?:from |require\()'(\.{1,2}\/[^']+)'/.exec(tests) ?? []
  return solutions.map((source, index) => {
    const test = join(into, name, String(index), 'tests', testFile)
    const place = join(resolve(dirname(test), dirname(path)), file)
    for (const one of [test, place]) mkdirSync(dirname(one), { recursive: true })
    writeFileSync(place, source)
    writeFileSync(test, tests)
    return test
  })
}

const run = promisify(execFile)

/** Returns the outcome of each solution, by exercise. */
export async function plainOutcomes(
  into: string,
  all: readonly Exercise[],
): Promise<Map<Exercise, Outcome[]>> {
  const files = new Map(all.map((one) => [one, write(into, one)]))
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'))
  writeFileSync(join(into, 'setup.mjs'), SETUP)
  writeFileSync(join(into, 'jest-globals.mjs'), JEST_GLOBALS)
  writeFileSync(
    join(into, 'vitest.config.mjs'),
    `export default { test: { include: ['**/*.{test,spec}.*'], exclude: ${JSON.stringify(['**/node_modules/**', ...all.filter(({ style }) => style === 'node').map(({ name }) => `**/${name}/**`)])}, globals: true, setupFiles: ['./setup.mjs'] }, resolve: { alias: { '@jest/globals': ${JSON.stringify(join(into, 'jest-globals.mjs'))} } } }`,
  )
  const byFile = new Map<string, Outcome>()
  await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      into,
      '--reporter=json',
      '--outputFile=out.json',
    ],
    {
      cwd: into,
      timeout: 240_000,
      maxBuffer: 1 << 28,
      env: { ...process.env, CI: '1', NODE_OPTIONS: '' },
    },
  ).catch(() => {})
  const report = JSON.parse(readFileSync(join(into, 'out.json'), 'utf8')) as {
    testResults: { name: string; status: string; assertionResults: { status: string }[] }[]
  }
  for (const { name, status, assertionResults } of report.testResults)
    byFile.set(name, {
      isPassed: status === 'passed',
      failed: assertionResults.filter((one) => one.status === 'failed').length,
    })
  for (const [{ style }, tests] of files)
    if (style === 'node') for (const test of tests) byFile.set(test, await withNode(test))
  return new Map(
    [...files].map(([one, tests]) => [
      one,
      tests.map((test) => {
        const found = byFile.get(test)
        if (found === undefined) throw new Error(`${test} did not run`)
        return found
      }),
    ]),
  )
}

async function withNode(test: string): Promise<Outcome> {
  const said = await run(process.execPath, ['--test-reporter=tap', test], { env: {} }).then(
    ({ stdout }) => ({ stdout, isPassed: true }),
    ({ stdout }: { stdout: string }) => ({ stdout, isPassed: false }),
  )
  const [, failed = '0'] = /^# fail (\d+)$/m.exec(said.stdout) ?? []
  return { isPassed: said.isPassed, failed: Number(failed) }
}
