/** The subjects `reference` and `nothing`, and the proof of workspace cases, show what a suite measures. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Trial } from '@assay/contract'
import { openSandbox } from '@assay/sandbox'
import { closeGraders, graders } from '../packages/assay/src/grade/index.ts'
import { readTrials } from '../packages/assay/src/log/index.ts'
import { proveSuite } from '../packages/assay/src/run/index.ts'
import { run } from '../packages/assay/src/run/run.ts'
import type { RunEvent } from '../packages/assay/src/run/schedule/events.ts'
import { checkSubjects, makeSubjects } from '../packages/assay/src/subject/index.ts'
import { loadSuite } from '../packages/assay/src/suite/index.ts'
import { openWorkspaceStore } from '../packages/assay/src/workspace/index.ts'
import { fakeSubject, saying } from '../packages/assay/test/fakes.ts'
import { suiteFolder } from '../packages/assay/test/suite-folder.ts'
import { hasGit } from '../packages/assay/test/workspaces.ts'
import { hasBubblewrap } from '../packages/sandbox/test/sandboxed.ts'

const folder = mkdtempSync(join(tmpdir(), 'baseline-'))
afterAll(async () => {
  await closeGraders()
  rmSync(folder, { recursive: true, force: true })
})

const DIFF = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+1
 two
`
const TESTS = `const { test } = require('node:test')
const assert = require('node:assert')
const text = require('node:fs').readFileSync('a.txt', 'utf8')
test('has a number', () => {
  assert.equal(text.includes('1'), true)
})
test('keeps the rest', () => {
  assert.equal(text.includes('two'), true)
})
`
const TESTED = {
  type: 'tests',
  command: ['node', '--test', 'a.test.js'],
  dialect: 'node-test',
  failToPass: ['has a number'],
  passToPass: ['keeps the rest'],
}

const suiteOf = async (tests: object, reference: string = DIFF) => {
  const workspace = { hidden: { 'a.test.js': TESTS } }
  const one = { id: 'a', prompt: 'p', workspace, files: { 'a.txt': 'one\ntwo\n' } }
  const touched = { type: 'files-touched', allow: ['a.txt'] }
  const suite = { id: 's', cases: [{ ...one, reference, graders: [tests, touched] }] }
  const at = await suiteFolder({ 'suite.json': JSON.stringify(suite) })
  return (await loadSuite(join(at, 'suite.json'), { graders, allowModules: true })).suite
}

describe.runIf(hasBubblewrap && hasGit)('what a suite measures', () => {
  it('is shown by a run of its references and of nothing', async () => {
    const subjects = await makeSubjects({ subjects: ['reference', 'nothing'] })
    const at = join(folder, 'run')
    await run({ suites: [await suiteOf(TESTED)], subjects, folder: at, trials: 1, maxErrors: 1 })
    const found: Trial[] = []
    await readTrials(at, (trial) => found.push(trial))
    const told = found.map(({ subject, outcome, source, cost }) => [
      ...[subject, outcome, source, cost.spentUsd],
    ])
    expect(told).toHaveLength(2)
    expect(told).toContainEqual(['nothing', 'failed', 'simulated', 0])
    expect(told).toContainEqual(['reference', 'passed', 'simulated', 0])
  })

  it('is shown before the first trial that may cost something', async () => {
    const suites = [await suiteOf(TESTED)]
    const subjects = [
      fakeSubject(() => saying('done'), { traces: () => ({ trajectory: false, diff: true }) }),
    ]
    const events: RunEvent[] = []
    const options = {
      suites,
      subjects,
      trials: 1,
      onEvent: (event: RunEvent) => events.push(event),
    }
    await run({ ...options, folder: join(folder, 'paid'), proveFirst: true })
    const told = events.map((event) => (event.type === 'note' ? event.text : event.type))
    const shown =
      'before the first trial: 1 of 1 reference passes, doing nothing passes 0 of 1 case with a workspace'
    const first = expect.stringMatching(/^grading the references of 1 case/)
    expect(told).toEqual(['start', first, shown, 'trial', 'end'])
    events.length = 0
    await run({ ...options, folder: join(folder, 'paid'), proveFirst: true, resume: true })
    expect(events.some(({ type }) => type === 'note')).toBe(false)
  })

  it('is proven on the reference and on the start', async () => {
    const sandbox = await openSandbox('bubblewrap')
    const workspaces = await openWorkspaceStore({ sandbox, keep: null })
    const signal = new AbortController().signal
    const proven = async (...given: Parameters<typeof suiteOf>): Promise<unknown> => {
      const options = { sandbox, workspaces, gradeTimeoutMs: 10_000, signal }
      const [proof] = await proveSuite(await suiteOf(...given), options)
      return proof?.answers.map(({ answer, holds, reason }) =>
        holds ? [answer, holds] : [answer, holds, reason],
      )
    }
    try {
      expect(await proven(TESTED)).toEqual([
        ['start', true],
        ['reference', true],
      ])
      const turned = { ...TESTED, failToPass: ['keeps the rest'], passToPass: ['has a number'] }
      expect(await proven(turned)).toEqual([
        ['start', false, 'tests: "keeps the rest" of failToPass passes before the work'],
        ['reference', true],
      ])
      const [, misfit] = (await proven(TESTED, DIFF.replace('-one', '-three'))) as unknown[]
      expect(String(misfit)).toContain('the diff does not fit')
    } finally {
      await workspaces.close()
      await sandbox.close()
    }
  })

  it('needs references', async () => {
    const [reference] = await makeSubjects({ subjects: ['reference'] })
    const suite = await suiteOf(TESTED)
    const cases = suite.cases.map((one) => ({ ...one, reference: null }))
    const without = [{ ...suite, cases }]
    expect(() => checkSubjects(reference === undefined ? [] : [reference], without)).toThrow(
      'these have none: s/a',
    )
    await expect(
      makeSubjects({ subjects: ['x'], named: { x: { baseline: 'both' as 'nothing' } } }),
    ).rejects.toThrow('one of reference, nothing')
  })
})
