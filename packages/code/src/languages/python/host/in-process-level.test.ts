/**
 * The integrity level `in-process`: features that work only in the process of the solution, and attacks that must
 * still fail.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

const isReady = await isPythonReady()

describe.skipIf(!isReady)('tests beside the sample', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const run = (code: string, tests: string) => bench.run(code, tests, { integrity: 'in-process' })

  it('runs what values cannot carry', async () => {
    const code = `
import abc, asyncio

class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def describe(self):
        return f'area {self.area()}'

async def gather(fns):
    return await asyncio.gather(*(fn() for fn in fns))

def ask():
    return input('name? ').upper()

def save(path, text):
    with open(path, 'w') as file:
        file.write(text)
`
    const tests = `
import asyncio, unittest, pytest
from unittest.mock import patch
import solution

class Square(solution.Shape):
    def area(self): return 4

def test_subclass():
    assert Square().describe() == 'area 4'
    with pytest.raises(TypeError): solution.Shape()

def test_concurrent():
    active = most = 0
    async def one():
        nonlocal active, most
        active += 1
        most = max(most, active)
        await asyncio.sleep(0.01)
        active -= 1
        return 1
    assert asyncio.run(solution.gather([one] * 3)) == [1, 1, 1]
    assert most == 3

def test_input():
    with patch('builtins.input', return_value='ada'):
        assert solution.ask() == 'ADA'

def test_file(tmp_path):
    solution.save(tmp_path / 'x', 'hello')
    assert (tmp_path / 'x').read_text() == 'hello'

@pytest.mark.parametrize('n', [1, 2, 3])
def test_rows(n):
    assert n != 2

class Last(unittest.TestCase):
    def test_wrong(self):
        self.assertEqual(solution.ask.__name__, 'other')
`
    expect(outcomes(await run(code, tests))).toEqual({
      test_subclass: 'passed',
      test_concurrent: 'passed',
      test_input: 'passed',
      test_file: 'passed',
      test_rows: 'FAILED: line 35: 2 != 2',
      'Last.test_wrong': expect.stringContaining("'ask' != 'other'"),
    })
  })

  const TESTS =
    'import unittest\nfrom solution import f\n\ndef test_two():\n    assert f(2) == 4\n\nclass Three(unittest.TestCase):\n    def test_three(self):\n        self.assertEqual(f(3), 9)\n'

  it('passes a right answer, also after one that left files behind', async () => {
    const good = 'def f(n):\n    return n * n\n'
    expect(outcomes(await run(`open('left', 'w').write('x')\n${good}`, TESTS))).toEqual({
      test_two: 'passed',
      'Three.test_three': 'passed',
    })
    expect(
      outcomes(await run(`import os\nassert not os.path.exists('left')\n${good}`, TESTS)),
    ).toEqual({ test_two: 'passed', 'Three.test_three': 'passed' })
  })

  it.each([
    ['exits', 'import os\ndef f(n):\n    os._exit(0)\n', 'exit'],
    ['exits when loaded', 'import os\nos._exit(0)\n', 'exit'],
    ['raises when loaded', 'raise SystemExit(0)\n', null],
    [
      'patches unittest',
      'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nunittest.case.TestCase.assertEqual = lambda *a: None\ndef f(n):\n    return -1\n',
      null,
    ],
    [
      'patches the language',
      'import builtins\nbuiltins.compile = lambda *a, **k: (lambda: 0).__code__\nbuiltins.exec = lambda *a: None\ndef f(n):\n    return -1\n',
      null,
    ],
    [
      'forges reports without the nonce',
      'import os\ndef f(n):\n    for body in (b\'{"nonce":"","result":["test_two",true,null]}\', b\'{"nonce":"","done":true,"memory":false}\'):\n        os.write(4, len(body).to_bytes(4, "big") + body)\n    os._exit(0)\n',
      'exit',
    ],
    [
      'reads the tests when loaded',
      'import os\nos.set_blocking(4, False)\ntry:\n    stolen = os.read(4, 99999)\nexcept OSError:\n    stolen = b""\nassert b"def test" not in stolen\nos.set_blocking(4, True)\ndef f(n):\n    return -1\n',
      null,
    ],
    ['raises skips', 'import unittest\ndef f(n):\n    raise unittest.SkipTest("x")\n', null],
    ['never ends', 'def f(n):\n    while True:\n        pass\n', 'timeout'],
    ['needs too much', 'def f(n):\n    return bytearray(8 * 2 ** 30)\n', 'memory'],
  ])('does not pass an answer that %s', async (_, code, kind) => {
    const report = await bench.run(code, TESTS, {
      integrity: 'in-process',
      ...(kind === 'timeout' ? { limits: { cpuMs: 500, memoryBytes: 2 ** 29 } } : {}),
    })
    expect(report.tests).toHaveLength(2)
    expect(report.tests?.some(({ passed }) => passed)).toBe(false)
    expect(report.fault?.kind ?? null).toBe(kind)
  })

  it('takes check(candidate) and scripts', async () => {
    const check = {
      kind: 'source',
      entryPoint: 'f',
      prelude: 'def twice(n):\n    return 2 * n\n\n\ndef f(n):\n',
    } as const
    expect(
      outcomes(
        await bench.run(
          'def f(n):\n    return n * 2\n',
          { ...check, source: 'def check(candidate):\n    assert candidate(4) == twice(4)\n' },
          { integrity: 'in-process' },
        ),
      ),
    ).toEqual({ check: 'passed' })
    expect(
      outcomes(await run('def f(n):\n    return n\n', 'assert f(1) == 1\nassert f(2) == 3\n')),
    ).toEqual({
      'assert f(1) == 1': 'passed',
      'assert f(2) == 3': 'FAILED: line 2: 2 == 3',
    })
  })

  it('is not a failure of the code where the tests cannot be read', async () => {
    await expect(run('x = 1\n', 'def (\n')).rejects.toThrow('they cannot be compiled')
  })

  it('finds files that the case brings', async () => {
    const report = await bench.run(
      'def f():\n    return open("data/words.txt").read()\n',
      'from solution import f\ndef test_f():\n    assert f() == "a b"\n',
      {
        support: { 'data/words.txt': 'a b' },
      },
    )
    expect(outcomes(report)).toEqual({ test_f: 'passed' })
  })
})
