/**
 * A key of the suite sets the code weights: how much compiling, tests and linting each count in the score. The
 * tests also cover the score and its parts, the hash with and without the key, the case's own weights, weights that
 * do not sum to 1, the record, report.json and the terminal output.
 */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { suiteFolder } from '../../../test/suite-folder.ts'
import { graders } from '../../grade/index.ts'
import { lastRevision, readRecord, readTrials } from '../../log/index.ts'
import { loadSuite } from '../../suite/index.ts'
import pico from 'picocolors'
import { runCommand } from './run/run.ts'

const isReady = (await inspectSandbox()).ready

const suiteOf = (scoring: string, own = ''): string => `id = "s"
${scoring}
[[cases]]
id = "a"
prompt = "p"
language = "python"
lint = "off"
reference = "def f(x): return x + 1"
faulty = ["def f(x): return 2"]
tests = """
def test_a():
    assert f(1) == 2
def test_b():
    assert f(2) == 3
"""
${own}
`
const OTHER = '[scoring]\ncode = { compile = 0.2, tests = 0.8, lint = 0 }'

async function load(text: string) {
  const folder = await suiteFolder({ 's.toml': text })
  const file = path.join(folder, 's.toml')
  return { file, folder, ...(await loadSuite(file, { graders })) }
}

describe('code weights of a suite', () => {
  it('are part of the hash only where they are given', async () => {
    const [plain, other, own] = [
      await load(suiteOf('')),
      await load(suiteOf(OTHER)),
      await load(suiteOf(OTHER, '[cases.scoring]\ncode = { compile = 0, tests = 1, lint = 0 }')),
    ]
    expect(JSON.stringify(plain.suite.cases[0]?.graders)).not.toContain('parts')
    expect(other.suite.hash).not.toBe(plain.suite.hash)
    expect(other.suite.cases[0]?.graders[0]?.options).toMatchObject({
      parts: { compile: 0.2, tests: 0.8, lint: 0 },
    })
    expect(own.suite.cases[0]?.graders[0]?.options).toMatchObject({ parts: { tests: 1 } })
  })

  it('must sum to 1', async () => {
    const text = suiteOf('[scoring]\ncode = { compile = 0.4, tests = 0.4, lint = 0.1 }')
    await expect(load(text)).rejects.toThrow(/s\.toml:3:\d+.*sum to 1/)
  })

  it.skipIf(!isReady)('decide the score, and record and report name them', async () => {
    const { file, folder } = await load(suiteOf(OTHER))
    const run = path.join(folder, 'run')
    let shown = ''
    const output = {
      out: (text: string) => void (shown += text),
      err: () => {},
      colors: pico.createColors(false),
      isTerminal: false,
      outIsTerminal: false,
      ready: () => null,
      width: 200,
    }
    await runCommand({ suites: [file], model: ['simulated:pass=0'], output: run }, output)
    const scores: (number | null)[] = []
    await readTrials(run, ({ score }) => void scores.push(score))
    expect(scores).toEqual([expect.closeTo(0.6, 12)])
    const profile = [{ compile: 0.2, tests: 0.8, lint: 0 }]
    expect(lastRevision(readRecord(run)).suites[0]?.codeWeights).toEqual(profile)
    expect(shown).toContain(
      's: code is scored by 0.2 compile, 0.8 tests, 0 lint, not by the specification’s 0.4, 0.5 and 0.1',
    )
  })
})
