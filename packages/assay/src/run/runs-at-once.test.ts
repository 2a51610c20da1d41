/**
 * Runs of one process share compilers, linters and threads. The end of one run must not close those that another run uses.
 * Related code that was checked: the queue's worker, which grades for several runs; `validate` and `--dry-run`, which are
 * alone in their process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { suiteFolder } from '../../test/suite-folder.ts'
import { graders } from '../grade/index.ts'
import { loadSuites } from '../suite/index.ts'
import { run } from './run.ts'

const { ready } = await inspectSandbox()

const CODE = `
id = "slow"
[[cases]]
id = "add"
language = "typescript"
prompt = "Export add."
tests = """
import { add } from './solution'
test('adds after a while', () => {
  const end = performance.now() + 400
  while (performance.now() < end);
  expect(add(1, 2)).toBe(3)
})
"""
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-at-once-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.skipIf(!ready)('a run that ends does not close the graders of another run', async () => {
  const path = join(await suiteFolder({ 'code.toml': CODE }), 'code.toml')
  const [code] = await loadSuites([path], { graders })
  if (code === undefined) throw new Error('the suite was not loaded')
  const done = new AbortController()
  const long = run({
    suites: [code.suite],
    subjects: [fakeSubject(() => saying('export const add = (a: number, b: number) => a + b'))],
    folder: join(folder, 'long'),
    trials: 4,
  }).finally(() => done.abort())
  for (let i = 0; !done.signal.aborted; i++)
    await run({
      suites: [fakeSuite(1)],
      subjects: [fakeSubject(() => saying('right'))],
      folder: join(folder, `short-${i}`),
      trials: 1,
    })
  expect((await long).tally.counts()).toMatchObject({ passed: 4, errored: 0 })
})
