/**
 * Features of pytest and unittest that test files use, each in its smallest form. If the tests use a feature that
 * is not supported, the error names it before any test runs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeCase, fakeSuite } from '../../../../assay/test/fakes.ts'
import { runTests } from '../../check-tests.ts'
import { codeDefaults, codeOptions, gradeCode } from '../../grade-code.ts'
import { closeTools } from '../../open-tools.ts'
import { NeedsInProcess, TestsFault } from '../../fault/tests-fault.ts'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../test/try-python.ts'

const isReady = await isPythonReady()

const CODE = `
import logging, sys, warnings
log = logging.getLogger('app')
class Old(UserWarning):
    pass
def add(a, b):
    return a + b
def noisy(level='warning'):
    getattr(log, level)('seen %s', level)
    print('to err', file=sys.stderr)
    warnings.warn('old', Old)
    return 1
class Base:
    def name(self):
        return 'base'
`

type Row = readonly [what: string, tests: string, expected: Readonly<Record<string, string>>]
const P = 'passed'

const RUN: readonly Row[] = [
  [
    'fixtures that override, are shared, have parameters and take down in order',
    `
import pytest
from solution import add
log = []
@pytest.fixture(scope='module', params=[1, 2])
def wide(request):
    log.append('up%d' % request.param)
    yield request.param
    log.append('down%d' % request.param)
@pytest.fixture
def own(wide, request):
    request.addfinalizer(lambda: log.append('final'))
    return add(wide, 10)
def test_a(own, wide):
    assert own == wide + 10
def test_b(wide):
    assert log == {1: ['up1', 'final'], 2: ['up1', 'final', 'down1', 'up2', 'final']}[wide]
`,
    { 'test_a[1]': P, 'test_b[1]': P, 'test_a[2]': P, 'test_b[2]': P },
  ],
  [
    'a fixture that fails is made once, and fails each of its tests',
    `
import pytest
from solution import add
count = []
@pytest.fixture(scope='module')
def broken():
    count.append(1)
    raise ValueError('no')
def test_a(broken):
    pass
def test_b(broken):
    pass
def test_c():
    assert add(len(count), 1) == 2
`,
    {
      test_a: 'FAILED: line 8: ValueError: no',
      test_b: 'FAILED: line 8: ValueError: no',
      test_c: P,
    },
  ],
  [
    'parametrize with indirect, ids, marks and pytestmark',
    `
import pytest
from solution import add
pytestmark = [pytest.mark.unit]
@pytest.fixture
def base(request):
    return request.param * 10
@pytest.mark.parametrize('base, more', [(1, 1), (2, 2)], indirect=['base'])
def test_indirect(base, more):
    assert add(base, more) == 11 * more
@pytest.mark.parametrize('n', [1, pytest.param(2, id='two'), pytest.param(9, marks=pytest.mark.skip)], ids=str)
def test_ids(n, request):
    assert request.node.get_closest_marker('unit') is not None
    assert add(n, 0) == n
@pytest.mark.parametrize('n', [])
def test_empty(n):
    pass
`,
    { 'test_indirect[1-1]': P, 'test_indirect[2-2]': P, 'test_ids[1]': P, 'test_ids[two]': P },
  ],
  [
    'xfail: strict is a test, other xfails are not counted',
    `
import pytest
from solution import add
@pytest.mark.xfail(strict=True)
def test_strict():
    assert add(1, 1) == 3
@pytest.mark.xfail(strict=True)
def test_strict_passes():
    assert add(1, 1) == 2
@pytest.mark.xfail
def test_may_fail():
    assert add(1, 1) == 3
@pytest.mark.xfail(raises=KeyError)
def test_other_error():
    raise ValueError('x')
def test_imperative():
    pytest.xfail('later')
`,
    {
      test_strict: P,
      test_strict_passes: 'FAILED: it was expected to fail and did not',
      test_other_error: 'FAILED: line 15: ValueError: x',
    },
  ],
  [
    'warnings, log records and errors output of the solution',
    `
import logging, warnings, pytest
from solution import noisy, Old
def test_warns():
    with pytest.warns(Old, match='^old$') as record:
        noisy()
    assert record[0].category is Old
def test_recwarn(recwarn):
    noisy()
    assert issubclass(recwarn.pop(UserWarning).category, Old)
def test_error_filter():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(Old):
            noisy()
def test_caplog(caplog):
    noisy('info')
    assert caplog.messages == []
    with caplog.at_level(logging.INFO, logger='app'):
        noisy('info')
    assert caplog.record_tuples == [('app', logging.INFO, 'seen info')]
def test_err(capsys):
    noisy()
    out, err = capsys.readouterr()
    assert (out, err) == ('', 'to err\\n')
`,
    { test_warns: P, test_recwarn: P, test_error_filter: P, test_caplog: P, test_err: P },
  ],
  [
    'assertLogs, assertWarns and the module and class setups of unittest',
    `
import unittest
from solution import noisy, Old
steps = []
def setUpModule():
    steps.append('module')
class NoisyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(steps.clear)
        steps.append('class')
    def test_logs(self):
        with self.assertLogs('app', 'WARNING') as caught:
            noisy()
        self.assertEqual(caught.output, ['WARNING:app:seen warning'])
        with self.assertRaises(AssertionError):
            with self.assertLogs('app', 'ERROR'):
                noisy()
    def test_warns(self):
        with self.assertWarnsRegex(Old, 'ol.'):
            noisy()
        self.assertEqual(steps, ['module', 'class'])
`,
    { 'NoisyTest.test_logs': P, 'NoisyTest.test_warns': P },
  ],
  [
    'subtests, classes with hooks, monkeypatch of the solution',
    `
import pytest, solution
def test_parts(subtests):
    for n in range(3):
        with subtests.test('part', n=n):
            assert solution.add(n, 1) != 2
class TestHooks:
    def setup_class(cls):
        cls.made = []
    def setup_method(self, method):
        self.made.append(method.__name__)
    def test_one(self):
        assert self.made == ['test_one']
    def test_two(self, monkeypatch):
        monkeypatch.setattr('solution.add', lambda a, b: 7)
        assert solution.add(1, 1) == 7
        assert self.made == ['test_one', 'test_two']
def test_undone():
    assert solution.add(1, 1) == 2
`,
    {
      test_parts: 'FAILED: line 6: [part] (n=1) 2 != 2',
      'TestHooks.test_one': P,
      'TestHooks.test_two': P,
      test_undone: P,
    },
  ],
  [
    'load_tests, and examples in docstrings',
    `
import doctest, unittest
def examples():
    """
    >>> from solution import add
    >>> add(1, 2)
    3
    >>> add(1, 2)
    4
    """
class One(unittest.TestCase):
    def test_add(self):
        from solution import add
        self.assertEqual(add(1, 1), 2)
def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite('__main__'))
    return tests
`,
    {
      'One.test_add': P,
      examples: expect.stringMatching(/FAILED: [\s\S]*Expected:\n\s+4\nGot:\n\s+3/) as string,
    },
  ],
  [
    'examples that a script runs',
    '"""\n>>> from solution import add\n>>> add(1, 1)\n3\n"""\nimport doctest\nif __name__ == "__main__":\n    doctest.testmod()\n',
    { script: expect.stringContaining('1 of the examples failed') as string },
  ],
  [
    'tests that a loop makes',
    'import unittest\nfrom solution import add\nclass Made(unittest.TestCase):\n    pass\nfor n in (2, 3):\n    setattr(Made, "test_%d" % n, lambda self, n=n: self.assertEqual(add(1, 1), n))\n',
    { script: expect.stringContaining('2 != 3') as string },
  ],
  [
    'a helper that is only named like a test',
    'from solution import add\ndef test(got, expected):\n    assert got == expected\ndef main():\n    test(add(1, 1), 2)\n    test(add(1, 1), 3)\nif __name__ == "__main__":\n    main()\n',
    { script: 'FAILED: line 3: 2 == 3' },
  ],
  [
    'a suite that a script runs itself',
    'import unittest\nfrom solution import add\ndef three():\n    assert add(1, 1) == 3\nunittest.TextTestRunner().run(unittest.FunctionTestCase(three))\n',
    { script: expect.stringContaining('FAILED') as string },
  ],
  [
    'coroutines and fixtures that are coroutines',
    `
import pytest, pytest_asyncio
from solution import add
@pytest_asyncio.fixture
async def two():
    yield 2
@pytest.mark.asyncio
async def test_two(two):
    assert add(two, two) == 4
`,
    { test_two: P },
  ],
]

const MISSING: readonly (readonly [what: string, tests: string, name: string])[] = [
  [
    'a function of pytest',
    'def test_a():\n    pytest.register_assert_rewrite("x")\n    assert add(1, 1) == 2',
    'pytest.register_assert_rewrite',
  ],
  ['a fixture of a plugin', 'def test_a(mocker):\n    assert add(1, 1) == 2', 'the fixture mocker'],
  [
    'a hook',
    'def pytest_generate_tests(metafunc):\n    pass\ndef test_a():\n    assert add(1, 1) == 2',
    'the hook pytest_generate_tests',
  ],
  [
    'a mark of a plugin',
    '@pytest.mark.django_db\ndef test_a():\n    assert add(1, 1) == 2',
    'the mark django_db',
  ],
  [
    'the examples of the solution',
    'import doctest, solution\ndef test_a():\n    assert doctest.testmod(solution).failed == add(0, 0)',
    'doctest.testmod',
  ],
]

const NEAR: readonly (readonly [what: string, tests: string, says: string])[] = [
  ['tmp_path', 'def test_a(tmp_path):\n    assert add(1, 1) == 2', 'the fixture tmp_path'],
  [
    'a mock of the library',
    'from unittest.mock import patch\n@patch("time.sleep")\ndef test_a(sleep):\n    assert add(1, 1) == 2',
    'replace time.sleep',
  ],
  [
    'input',
    'def test_a(monkeypatch):\n    monkeypatch.setattr("builtins.input", lambda: "x")\n    assert add(1, 1) == 2',
    'replace builtins.input',
  ],
  [
    'the environment',
    'def test_a(monkeypatch):\n    monkeypatch.setenv("A", "b")\n    assert add(1, 1) == 2',
    'change the environment',
  ],
  [
    'a class of the solution',
    'from solution import Base\nclass Own(Base):\n    pass\ndef test_a():\n    assert Own().name() == "base"',
    'derive a class from Base',
  ],
  [
    'a class that is taken with a star',
    'from solution import *\nclass Own(Base):\n    pass\ndef test_a():\n    assert Own().name() == "base"',
    'derive a class from Base',
  ],
]

describe.skipIf(!isReady)('features of Python tests', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(async () => {
    await closeTools()
    await bench.close()
  })

  it.each(RUN)('%s', async (_, tests, expected) => {
    expect(outcomes(await bench.run(CODE, tests))).toEqual(expected)
  })

  it('conftest and test helpers are loaded with the tests, not with the solution', async () => {
    const support = {
      'conftest.py':
        'import pytest\nfrom solution import add\n@pytest.fixture\ndef three():\n    return add(1, 2)\n',
      'helpers.py':
        'import unittest\nclass Case(unittest.TestCase):\n    def assertAdds(self, a, b, c):\n        from solution import add\n        self.assertEqual(add(a, b), c)\n',
    }
    const tests =
      'import helpers\nfrom .helpers import Case\nclass AddTest(Case):\n    def test_add(self):\n        self.assertAdds(1, 1, 2)\ndef test_three(three):\n    assert three == 3\n'
    for (const integrity of ['isolated', 'in-process'] as const) {
      const report = await bench.run(CODE, tests, { support, integrity })
      expect(outcomes(report)).toEqual({ 'AddTest.test_add': P, test_three: P })
    }
    const spy = await bench.run('import conftest\nadd = 1\n', tests, { support })
    expect(Object.values(outcomes(spy)).join()).toContain("No module named 'conftest'")
  })

  const caseWith = (tests: string, reference: string | null = CODE) =>
    fakeCase('features', {
      language: 'python',
      tests: `import pytest\nfrom solution import add\n${tests}\n`,
      reference,
      hash: `features ${tests} ${reference === null}`,
      graders: [
        {
          type: 'code',
          name: 'code',
          weight: 1,
          required: false,
          negate: false,
          options: codeDefaults(),
        },
      ],
    })

  const grade = (one: ReturnType<typeof caseWith>, options: object = {}) =>
    gradeCode({ case: one, answer: CODE, files: {}, folder: null }, codeOptions.parse(options), {
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      sandbox: bench.sandbox,
    })

  it.each(MISSING)(
    '%s that is missing is refused by name, whatever was answered',
    async (_, tests, name) => {
      for (const options of [{}, { integrity: 'in-process' }]) {
        const graded = grade(caseWith(tests, null), options)
        await expect(graded).rejects.toBeInstanceOf(TestsFault)
        await expect(graded).rejects.toThrow(`they use ${name}`)
      }
      const [finding] = await runTests([fakeSuite([caseWith(tests)])], {
        sandbox: bench.sandbox,
        folderOf: () => '/',
        timeoutMs: 10_000,
        signal: new AbortController().signal,
      })
      expect(finding).toMatchObject({ kind: 'at-fault', text: expect.stringContaining(name) })
    },
  )

  it.each(NEAR)('%s needs no reference to be tested in-process', async (_, tests, says) => {
    const output = await grade(caseWith(tests, null))
    expect(output).toMatchObject({ passed: true, integrity: 'in-process' })
    expect(output.reason).toContain(says)
    await expect(grade(caseWith(tests), { integrity: 'isolated' })).rejects.toBeInstanceOf(
      NeedsInProcess,
    )
    const findings = await runTests([fakeSuite([caseWith(tests)])], {
      sandbox: bench.sandbox,
      folderOf: () => '/',
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    })
    expect(findings).toEqual([])
  })
})
