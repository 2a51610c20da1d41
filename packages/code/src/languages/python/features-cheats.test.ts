/**
 * A wrong answer cannot use features of test frameworks to pass: for example by skipping its tests, or with an
 * object that is equal to everything.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, type Bench } from '../../../test/try-python.ts'

const isReady = await isPythonReady()

const SKIP = `
import sys
def f():
    frame = sys._getframe(1)
    while frame is not None:
        if 'pytest' in frame.f_globals and hasattr(frame.f_globals['pytest'], 'skip'):
            frame.f_globals['pytest'].skip('no')
        frame = frame.f_back
    import unittest
    raise unittest.SkipTest('no')
`
const ANY = `
class Any:
    def __eq__(self, other):
        return True
def f():
    return Any()
`
const NO_RECORD = `
import logging
def f():
    log = logging.getLogger('a')
    log.name = 5
    log.warning('x')
    return 2
`

const CHEATS: readonly (readonly [what: string, code: string, tests: string])[] = [
  [
    'an object that is equal to everything, in an example',
    ANY,
    `import doctest
def examples():
    """
    >>> from solution import f
    >>> f() == 3
    True
    """
def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite('__main__'))
    return tests
`,
  ],
  [
    'an object that is equal to everything, in a conftest',
    ANY,
    'def test_a(three):\n    assert three\n',
  ],
  ['a skip in a function', SKIP, 'def test_a():\n    assert f() == 1\n'],
  [
    'a skip in a method',
    SKIP,
    'class A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n',
  ],
  [
    'a skip in a part of a test',
    SKIP,
    'def test_a(subtests):\n    with subtests.test():\n        assert f() == 1\n',
  ],
  [
    'a skip in a fixture',
    SKIP,
    '@pytest.fixture\ndef x():\n    return f()\ndef test_a(x):\n    assert x == 1\n',
  ],
  [
    'a skip in tests that a loop makes',
    SKIP,
    'class Made(unittest.TestCase):\n    pass\nfor n in (1,):\n    setattr(Made, "test_%d" % n, lambda self: self.assertEqual(f(), 1))\n',
  ],
  ['a log record that is none', NO_RECORD, 'def test_a(caplog):\n    assert f() == 1\n'],
]

describe.skipIf(!isReady)('features of Python tests', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  it.each(CHEATS)('do not help an answer that cheats: %s', async (_, code, tests) => {
    const support = {
      'conftest.py':
        'import pytest\nfrom solution import f\n@pytest.fixture\ndef three():\n    return f() == 3\n',
    }
    for (const integrity of ['isolated', 'in-process'] as const) {
      const { tests: results, skipped } = await bench.run(
        code,
        `import pytest, unittest\nfrom solution import f\n${tests}`,
        { integrity, support },
      )
      expect(results?.length).toBeGreaterThan(0)
      expect(results?.filter(({ passed }) => passed)).toEqual([])
      expect(skipped).toBeUndefined()
    }
  })
})
