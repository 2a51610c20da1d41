/**
 * A case whose tests do nothing is refused before the first trial, and `validate` reports where it is. Also
 * covered: `run` (new, resumed, regraded; with selected cases), `validate` with and without a sandbox, suites in
 * the native format, as eval sets and as JSON lines (HumanEval and similar). An answer never influences this check.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import pico from 'picocolors'
import { afterAll, describe, expect, it } from 'vitest'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { closeGraders } from '../../../grade/index.ts'
import { readTrials } from '../../../log/index.ts'
import { inspectSandbox } from '@assay/sandbox'
import { runCommand } from '../run/run.ts'
import { validateCommand } from './validate.ts'

const isReady = (await inspectSandbox()).ready
const colors = pico.createColors(false)
const IDLE =
  'the tests assert nothing and call nothing of the solution, so they say nothing about an answer'

afterAll(closeGraders)

const NATIVE = `id = "s"

[[cases]]
id = "works"
prompt = "p"
language = "python"
tests = "assert f(1) == 2"
reference = "def f(x): return x + 1"
faulty = ["def f(x): return x"]

[[cases]]
id = "idle"
prompt = "p"
language = "python"
reference = "def f(x): return x + 1"
faulty = ["def f(x): return x"]
tests = """
def helper():
    assert f(1) == 2
print(1)
"""
`

const EVAL_SET = `[eval_set]
id = "e"
name = "e"

[[cases]]
id = "idle"
name = "idle"
prompt = "p"
language = "rust"

[cases.expectations]
test_file = "#[test] fn t() {}"
`

const ROWS = [
  {
    task_id: 'Python/0',
    prompt: 'def f(x):\n',
    canonical_solution: '    return x + 1\n',
    test: 'def check(g):\n    assert g(1) == 2\n\ncheck(f)',
  },
  {
    task_id: 'JavaScript/0',
    prompt: 'const f = (x) => {\n',
    canonical_solution: '  return x + 1\n}\n',
    test: 'const testF = () => {\n  console.assert(f(1) === 2)\n}\n',
  },
]
  .map((row) => JSON.stringify(row))
  .join('\n')

function outputInto() {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    colors,
    isTerminal: false,
    outIsTerminal: false,
    ready: () => null,
    width: 80,
  }
  return { written, output }
}

async function validate(file: string, sandbox: 'auto' | 'bubblewrap' | 'none' = 'auto') {
  const { written, output } = outputInto()
  const code = await validateCommand({ paths: [file], sandbox }, output)
  const short = (text: string): string => text.replaceAll(path.dirname(file) + path.sep, '')
  return { code, out: short(written.out), err: short(written.err) }
}

describe.skipIf(!isReady)('tests that do nothing', () => {
  it.each([
    ['s.toml', NATIVE, '17:1'],
    ['e.toml', EVAL_SET, '12:1'],
  ])('are told by validate with their place: %s', async (name, text, place) => {
    const folder = await suiteFolder({ [name]: text })
    expect(await validate(path.join(folder, name))).toEqual({
      code: 2,
      out: '',
      err: `${name}:${place}: case idle: ${IDLE}\n`,
    })
  })

  it('are told by validate in rows too, where a function is defined and never called', async () => {
    const folder = await suiteFolder({ 'r.jsonl': ROWS })
    const { code, err } = await validate(path.join(folder, 'r.jsonl'))
    expect(code).toBe(2)
    expect(err).toMatch(/^r\.jsonl:2:\d+: case JavaScript\/0: the tests assert nothing/m)
    expect(err).not.toContain('Python/0:')
  })

  it('are refused by a run before its first trial, and nothing is asked', async () => {
    const folder = await suiteFolder({ 's.toml': NATIVE })
    const { written, output } = outputInto()
    const flags = {
      suites: [path.join(folder, 's.toml')],
      model: ['simulated:pass=1'],
      output: path.join(folder, 'run'),
    }
    await expect(runCommand(flags, output)).rejects.toThrow(`s.toml:17:1: case idle: ${IDLE}`)
    expect(existsSync(flags.output)).toBe(false)
    expect(written.out).toBe('')
    // Without the faulty case, the run succeeds.
    expect(await runCommand({ ...flags, case: ['works'] }, output)).toBe(0)
    // Recorded answers cannot be graded with such tests either.
    await writeFile(flags.suites[0] ?? '', NATIVE.replace('assert f(1) == 2', 'print(1)'))
    const again = { suites: flags.suites, regrade: flags.output, output: `${flags.output}-2` }
    await expect(runCommand(again, output)).rejects.toThrow(/s\.toml:7:1: case works: the tests/)
  })
})

describe.skipIf(!isReady)('whose fault: tests that cannot be run', () => {
  const FAULTY = `id = "s"
[[cases]]
id = "helper"
prompt = "p"
language = "python"
reference = "def f(x): return x + 1"
tests = "def test_f():\\n    assert prepare(f)(1) == 2"
[[cases]]
id = "syntax"
prompt = "p"
language = "rust"
tests = "#[test] fn t() { assert_eq!(f(1), 2; }"
[[cases]]
id = "parse"
prompt = "p"
language = "javascript"
reference = "const f = (x) => x + 1"
tests = "it('t', () => { expect(f(1).toBe(2) })"
`

  it('are told by validate without a model, one line each', async () => {
    const folder = await suiteFolder({ 's.toml': FAULTY })
    const { code, err } = await validate(path.join(folder, 's.toml'))
    expect(code).toBe(2)
    const lines = err.trim().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(
      's.toml:7:1: case helper: the tests of the case are at fault: they use prepare, which nobody defines; the reference fails with them too',
    )
    expect(lines[1]).toMatch(
      /^s\.toml:12:1: case syntax: the tests of the case are at fault: tests:1/,
    )
    expect(lines[2]).toMatch(
      /^s\.toml:18:1: case parse: the tests of the case are at fault: line 1.*\(lines are counted within the tests\)$/,
    )
  })

  it('are told with the file that they are in', async () => {
    const suite = `id = "s"
[[cases]]
id = "parse"
prompt = "p"
language = "python"
tests = { file = "test_f.py" }
`
    const folder = await suiteFolder({ 's.toml': suite, 'test_f.py': '\ndef test_f(:\n' })
    const { code, err } = await validate(path.join(folder, 's.toml'))
    expect(code).toBe(2)
    expect(err).toBe(
      's.toml:6:1: case parse: the tests of the case are at fault: they cannot be compiled: line 2: invalid syntax (in test_f.py)\n',
    )
  })

  it('are errored in a run where a look did not tell, and refused where it did', async () => {
    const folder = await suiteFolder({ 's.toml': FAULTY })
    const { output } = outputInto()
    const run = path.join(folder, 'run')
    const flags = {
      suites: [path.join(folder, 's.toml')],
      model: ['simulated:pass=1'],
      output: run,
    }
    await runCommand({ ...flags, case: ['helper'] }, output)
    const reasons: (string | undefined)[] = []
    await readTrials(run, ({ outcome, reason }) => void reasons.push(outcome, reason?.code))
    expect(reasons).toEqual(['errored', 'tests-at-fault'])
    const refused = runCommand({ ...flags, case: ['parse'], output: `${run}-2` }, output)
    await expect(refused).rejects.toThrow(/case parse: the tests of the case are at fault/)
  })
})

describe.skipIf(!isReady)('tests that do half of it', () => {
  const HALF = `id = "h"

[[cases]]
id = "calls"
prompt = "p"
language = "javascript"
reference = "const f = (x) => x + 1"
faulty = ["const f = (x) => { throw new Error('no') }"]
tests = "console.log(f(1))"

[[cases]]
id = "asserts"
prompt = "p"
language = "python"
reference = "def f(x): return x + 1"
faulty = ["def g(x) return 1"]
tests = "assert True"
`

  it('are a warning of validate and of a run', async () => {
    const folder = await suiteFolder({ 'h.toml': HALF })
    const file = path.join(folder, 'h.toml')
    expect(await validate(file)).toEqual({
      code: 0,
      out: 'ok h.toml: 2 cases, 2 graded, 2 with reference and faulty answers\n',
      err:
        'h.toml:9: warning: case calls: the tests call the solution and assert nothing, so an answer fails only where it throws\n' +
        'h.toml:17: warning: case asserts: the tests assert something and call nothing of the solution, so they say nothing about an answer\n',
    })
    const { written, output } = outputInto()
    const flags = { suites: [file], model: ['simulated:pass=1'], output: path.join(folder, 'run') }
    expect(await runCommand(flags, output)).toBe(0)
    expect(written.err).toContain(
      'h.toml:9: case calls: the tests call the solution and assert nothing',
    )
  })
})

describe.skipIf(!isReady)('an answer', () => {
  it('cannot make its own failure the fault of the case', async () => {
    const folder = await suiteFolder({
      's.toml': NATIVE.slice(0, NATIVE.indexOf('[[cases]]\nid = "idle"')),
      // The first answer exits, and the tests call nothing of the second one. Both must count as failed, not as a fault
      // of the tests.
      'answers.jsonl': ['import sys\nsys.exit(0)', 'def g(x):\n    return x']
        .map((completion) => JSON.stringify({ task_id: 'works', completion }))
        .join('\n'),
    })
    const { output } = outputInto()
    const run = path.join(folder, 'run')
    await runCommand(
      {
        suites: [path.join(folder, 's.toml')],
        model: [`replay:${path.join(folder, 'answers.jsonl')}`],
        trials: 2,
        output: run,
      },
      output,
    )
    const outcomes: string[] = []
    await readTrials(run, ({ outcome }) => void outcomes.push(outcome))
    expect(outcomes).toEqual(['failed', 'failed'])
  })
})
