/**
 * If tests run in the answer's process, they compare values by their exact types. No method of the answer's objects
 * decides a verdict. `in-process-honest.test.ts` tests that honest classes still work.
 *
 * The tests cover every operator in asserts and elsewhere in a test source, chains, `in` with containers and
 * iterators, truth, arithmetic with expected values, built-in functions, `operator`, `math`, list methods, `match`,
 * all assertions of unittest (also the asynchronous class), `pytest.approx`, mocks and callbacks, classes that the
 * tests define, library objects that contain objects of the answer, changes to modules and built-in functions at
 * load time and at call time, skips and exits. For the same purpose, isolated tests use `proxies.py`, and Rust has
 * `lies.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CodeReport } from '../../../language.ts'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

/**
 * Python code that makes classes with every method that a test may call. Their methods agree with everything.
 * `derived(base)` makes such a class from a built-in type.
 */
const LIARS = `
import fractions, decimal
def _body():
    yes, no = lambda *a, **k: True, lambda *a, **k: False
    body = {'__%s__' % n: yes for n in 'eq lt le gt ge contains bool'.split()}
    body.update({'__%s__' % n: no for n in ['ne']})
    for n in 'sub rsub add radd mul rmul truediv rtruediv floordiv mod rmod pow xor and or abs round neg float int index len'.split():
        body['__%s__' % n] = lambda *a: 0
    body.update(__hash__=lambda self: 3, startswith=yes, __class__=property(lambda self: int))
    return body
class Wild:
    locals().update(_body())
def derived(base, *args):
    kind = type('Liar', (base,), {n: v for n, v in _body().items() if n not in ('__class__', '__len__')})
    return kind(*args)
def same():
    kind = type('Liar', (), {**_body(), '__sub__': lambda self, other: self, '__abs__': lambda self: self})
    return kind()
`
const ANSWERS: Record<string, string> = {
  'an object': 'Wild()',
  'an int': 'derived(int, 0)',
  'a float': 'derived(float, 0.0)',
  'a str': "derived(str, '')",
  'a tuple': 'derived(tuple)',
  'a list': 'derived(list)',
  'a dict': 'derived(dict)',
  'a Fraction': 'derived(fractions.Fraction, 0)',
  'a Decimal': "derived(decimal.Decimal, '0')",
  'an object that stays itself': 'same()',
  'a Fraction of such a number': 'fractions.Fraction(derived(int, 0))',
}

/** Checks that only the value 3 passes. `f` returns the value, and `g` passes it to a callback. */
const QUESTIONS = [
  'assert f() == 3',
  'assert 3 == f()',
  'assert not f() != 3',
  'assert f() == 3, "no"',
  'ok = f() == 3\nassert ok',
  'assert [f()] == [3]',
  'assert (f(), 1) == (3, 1)',
  "assert {'a': [f()]} == {'a': [3]}",
  'assert {f()} == {3}',
  'assert f() in [3]',
  'assert f() in (x for x in [3])',
  'assert 3 in [f()]',
  'assert 3 in iter([f()])',
  'assert 3 <= f() <= 3',
  'assert f() > 2 and f() < 4',
  'assert abs(f() - 3) < 1e-6',
  'assert abs(3 - f()) < 1e-6',
  'assert not (f() - 3)',
  'assert f() - 3 == 0',
  'assert f() / 3 == 1 and f() == 3',
  'assert f() + -3 == 0',
  'assert -3 + f() == 0',
  'assert sum([f(), -3]) == 0',
  'assert max(f(), 3) == 3 and min(f(), 3) == 3',
  'assert sorted([f(), 2, 4])[1] is not f and sorted([2, f(), 4]) == [2, 3, 4]',
  'assert [3].index(f()) == 0',
  'assert [3].count(f()) == 1',
  'import operator\nassert operator.eq(f(), 3)',
  'from operator import eq\nassert eq(f(), 3)',
  'import math\nassert math.isclose(f(), 3)',
  'assert f().__eq__(3)',
  'assert any(x == 3 for x in [f()])',
  'assert all(a == b for a, b in zip([f()], [3]))',
  'if f() != 3:\n    raise AssertionError("no")\nassert True',
  'assert [x for x in [f()] if x == 3]',
  'from types import SimpleNamespace as N\nassert N(a=f()) == N(a=3)',
  'from types import MappingProxyType as M\nassert M({1: f()}) == {1: 3}',
  'from collections import OrderedDict as O, deque as D, defaultdict, Counter\nassert O(a=f()) == O(a=3) and D([f()]) == D([3])',
  'assert {1: f()}.items() == {1: 3}.items()',
  'import pytest\nassert f() == pytest.approx(3)',
  'import pytest\nassert [f()] == pytest.approx([3])',
  'import pytest\nassert {1: f()} == pytest.approx({1: 3})',
  'from fractions import Fraction\nassert f() == Fraction(3)',
  'from decimal import Decimal\nassert f() == Decimal(3)',
  'from dataclasses import dataclass\n@dataclass\nclass Box:\n    v: object\nassert Box(f()) == Box(3)',
  'class Three:\n    def __eq__(self, other):\n        return other == 3\nassert f() == Three()',
  'from collections import namedtuple\nP = namedtuple("P", "x y")\nassert P(f(), 1) == P(3, 1)',
  'from unittest.mock import Mock\nm = Mock()\ng(m)\nm.assert_called_once_with(3)',
  'from unittest.mock import Mock, call\nm = Mock()\ng(m)\nassert m.mock_calls == [call(3)]\nm.assert_has_calls([call(3)])',
  'got = []\ng(got.append)\nassert got == [3]',
  'assert isinstance(f(), int) and f() == 3',
  'assert type(f()) == int and f() == 3',
  ...['Equal(f(), 3)', 'Equal([f()], [3])', 'ListEqual([f()], [3])', 'TupleEqual((f(),), (3,))']
    .concat(['DictEqual({1: f()}, {1: 3})', 'SetEqual({f()}, {3})', 'SequenceEqual([f()], (3,))'])
    .concat([
      'CountEqual([f()], [3])',
      'CountEqual(iter([f()]), [3])',
      'In(f(), [3])',
      'In(f(), iter([3]))',
    ])
    .concat(['AlmostEqual(f(), 3)', 'AlmostEqual(f(), 3, delta=0.5)', 'AlmostEqual([f()], [3])'])
    .concat([
      'GreaterEqual(f(), 3); self.assertLessEqual(f(), 3)',
      'Greater(f(), 2); self.assertLess(f(), 4)',
    ])
    .concat(['True(f() == 3)', 'False(f() != 3)', 'IsInstance(f(), int); self.assertEqual(f(), 3)'])
    .flatMap((call) =>
      ['TestCase', 'IsolatedAsyncioTestCase'].map(
        (kind) =>
          `class T(unittest.${kind}):\n    ${kind === 'TestCase' ? '' : 'async '}def test(self):\n        self.assert${call}`,
      ),
    ),
]

const isCase = (question: string): boolean => question.startsWith('class T(')
const ASKED = `import unittest\nfrom solution import f, g\n${QUESTIONS.map((question, at) =>
  isCase(question)
    ? question.replace('class T(', `class T${at}(`)
    : `def test_${at}():\n${question.replaceAll(/^/gm, '    ')}`,
).join('\n')}\n`
const questionOf = (name: string): string => QUESTIONS[Number(/\d+/.exec(name)?.[0])] ?? name
/** The same checks as a script without functions, in which each assert is a test. */
const SCRIPT = `${QUESTIONS.filter((one) => /^assert .*$/.test(one)).join('\n')}\n`

const functionOf = (value: string): string =>
  `${LIARS}\ndef f():\n    return ${value}\ndef g(call):\n    call(${value})\n`

const passes = ({ tests }: Pick<CodeReport, 'tests'>): boolean =>
  tests !== null && tests.length > 0 && tests.every((one) => one.passed)

describe.skipIf(!(await isPythonReady()))('tests in the process of the answer', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())
  const run = (code: string, tests: string) => bench.run(code, tests, { integrity: 'in-process' })

  it('pass the right value however it is asked for', async () => {
    const found = outcomes(await run(functionOf('3'), ASKED))
    expect(Object.entries(found).filter(([, how]) => how !== 'passed')).toEqual([])
    expect(Object.keys(found)).toHaveLength(QUESTIONS.length)
    expect(passes(await run(functionOf('3'), SCRIPT))).toBe(true)
  })

  it.each(Object.entries(ANSWERS))(
    'do not believe %s that agrees to everything',
    async (_, value) => {
      const report = await run(functionOf(value), ASKED)
      const believed = report.tests?.filter((one) => one.passed).map(({ name }) => questionOf(name))
      expect(believed).toEqual([])
      expect(report.tests).toHaveLength(QUESTIONS.length)
      // Each check was really run: no test failed earlier, when it was loaded.
      expect(
        report.tests?.filter(({ message }) =>
          /could not be loaded|when it was/.test(message ?? ''),
        ),
      ).toEqual([])
      expect((await run(functionOf(value), SCRIPT)).tests?.filter((one) => one.passed)).toEqual([])
    },
  )

  it.each([
    ['a dataclass whose field is equal to everything', 'P(derived(int, 0))'],
    ['a dataclass whose field is an object that is', 'P(Wild())'],
    ['a list in it that holds one', 'P([Wild()])'],
    ['a class that is equal to every object of its kind', 'Q(0)'],
    ['a class that is equal to objects of another', 'R()'],
  ])('do not believe %s', async (_, value) => {
    const code = `${functionOf(value)}
from dataclasses import dataclass
@dataclass
class P:
    x: object
class Q(P):
    def __eq__(self, other): return isinstance(other, P)
class R:
    def __eq__(self, other): return isinstance(other, P)
`
    const tests = `from solution import f, P, Q
def test_one():
    assert f() == P(3)
def test_turned():
    assert P([3]) == f() and [f()] == [P([3])]
def test_kind():
    assert f() == Q(3)
`
    const report = await run(code, tests)
    expect(report.tests?.filter(({ passed }) => passed)).toEqual([])
  })

  const TWO =
    'import math, unittest\nfrom solution import f\ndef test_two():\n    assert math.isclose(abs(f(2)), 4)\n    assert all(x == 4 for x in [f(2)])\n    assert len([f(2)]) == 1 and isinstance(f(2), int) and max([f(2), 1]) == 4\n\nclass Three(unittest.TestCase):\n    def test_three(self):\n        f(3)\n        self.assertEqual(f(3), 9)\n        self.assertAlmostEqual(f(3), 9)\n'

  it.each([
    ['nothing, and is right', '', 'return n * n', true],
    ['functions of math', 'import math\nmath.isclose = lambda *a, **k: True', 'return -1', false],
    [
      'math, and is right',
      'import math\nmath.isclose = lambda *a, **k: False',
      'return n * n',
      true,
    ],
    [
      'built-in functions in a call',
      'import builtins',
      'for name in ("all", "isinstance", "any"):\n        setattr(builtins, name, lambda *a, **k: True)\n    builtins.abs = builtins.round = lambda *a, **k: 4\n    builtins.max = builtins.len = lambda *a: 4\n    return -1',
      false,
    ],
    [
      'the modules that tests import',
      'import sys, types, unittest.mock\nsys.modules["unittest.mock"] = sys.modules["math"] = types.SimpleNamespace(isclose=lambda *a: True)\nunittest.mock.Mock.assert_called_with = lambda *a: None',
      'return -1',
      false,
    ],
    [
      'unittest in a call',
      'import unittest, unittest.case',
      'for name in dir(unittest.TestCase):\n        if name.startswith(("assert", "fail", "run", "_base")):\n            setattr(unittest.TestCase, name, lambda *a, **k: None)\n    return -1',
      false,
    ],
    [
      'the code of functions of the library',
      'import unittest\nunittest.TestCase.assertEqual.__code__ = (lambda self, first, second, msg=None: None).__code__\nunittest.TestCase.assertAlmostEqual.__code__ = (lambda self, first, second, places=None, msg=None, delta=None: None).__code__',
      'return -1',
      false,
    ],
  ])('do not depend on an answer that changes %s', async (_, before, body, isRight) => {
    expect(passes(await run(`${before}\ndef f(n):\n    ${body}\n`, TWO))).toBe(isRight)
  })

  it.each([
    ['from the code', 'raise unittest.SkipTest("x")'],
    ['from code without a file', 'exec(compile("raise unittest.SkipTest(1)", "<tests>", "exec"))'],
    [
      'from code in the library’s name',
      'exec(compile("raise unittest.SkipTest(1)", "/usr/lib/x.py", "exec"), vars(unittest.case))',
    ],
  ])('are not skipped by an answer, %s', async (_, body) => {
    const hidden = `import unittest\nexec(compile("def f(n):\\n    " + ${JSON.stringify(body)}, "<x>", "exec"))\n`
    const report = await run(hidden, TWO)
    expect(report.tests).toHaveLength(2)
    expect(passes(report)).toBe(false)
  })

  it('do not ask a text whose methods are its own', async () => {
    const code =
      'class Text(str):\n    startswith = endswith = lambda *a: True\ndef f(): return Text("b")\n'
    const found = await run(code, 'assert f().startswith("a")\nassert f().endswith("b")\n')
    expect(found.tests?.map(({ passed }) => passed)).toEqual([false, true])
  })

  it('do not call a mock that the answer changed', async () => {
    const code =
      'import sys, types, unittest.mock\nunittest.mock.NonCallableMock.assert_called_once_with = lambda *a: None\nsys.modules["unittest.mock"] = types.SimpleNamespace(Mock=lambda: print)\ndef g(call): call(2)\n'
    const tests =
      'from unittest.mock import Mock\ndef test_call():\n    call = Mock()\n    g(call)\n    call.assert_called_once_with(3)\n'
    expect((await run(code, tests)).tests?.map(({ passed }) => passed)).toEqual([false])
  })

  it('says why an object is not equal to plain data', async () => {
    const code =
      'class Half:\n    def __eq__(self, other): return other == 0.5\ndef f(): return Half()\n'
    expect(Object.values(outcomes(await run(code, 'assert f() == 0.5\n')))[0]).toContain(
      'an object of a class of the code is never equal to plain data',
    )
  })
})
