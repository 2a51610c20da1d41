/** The forms in which people write tests, each with realistic content. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestsFault } from '../../../fault/tests-fault.ts'
import type { Tests } from '../../../language.ts'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

const isReady = await isPythonReady()

describe.skipIf(!isReady)('forms of Python tests', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const run = async (code: string, tests: string | Tests): Promise<Record<string, string>> =>
    outcomes(await bench.run(code, tests))

  const source = (text: string, entryPoint: string, prelude: string | null = null): Tests => ({
    kind: 'source',
    source: text,
    entryPoint,
    prelude,
  })

  const STACK = `
class Empty(IndexError):
    def __init__(self, size):
        super().__init__(f'empty: {size}')
        self.size = size

class Stack:
    def __init__(self, items=()):
        self._items = list(items)
    def push(self, item):
        self._items.append(item)
    def pop(self):
        if not self._items:
            raise Empty(len(self._items))
        return self._items.pop()
    def __len__(self):
        return len(self._items)
    def __iter__(self):
        return iter(self._items[::-1])
    def __contains__(self, item):
        return item in self._items
`

  it('runs unittest classes with their fixtures, subtests and class fixtures', async () => {
    expect(
      await run(
        STACK,
        `
import unittest
from solution import Stack, Empty

class StackTest(unittest.TestCase):
    made = 0
    @classmethod
    def setUpClass(cls):
        cls.made += 1
    def setUp(self):
        self.stack = Stack([1, 2])
    def tearDown(self):
        self.assertEqual(self.made, 1)
    def test_pop(self):
        self.assertEqual(self.stack.pop(), 2)
        self.assertEqual(len(self.stack), 1)
    def test_empty(self):
        stack = Stack()
        with self.assertRaises(Empty) as caught:
            stack.pop()
        self.assertEqual(str(caught.exception), 'empty: 0')
        self.assertEqual(caught.exception.size, 0)
        with self.assertRaises(IndexError):
            stack.pop()
        self.assertRaisesRegex(LookupError, 'emp', stack.pop)
    def test_order(self):
        self.assertListEqual(list(self.stack), [2, 1])
        self.assertIn(1, self.stack)
        self.assertNotIn(7, self.stack)
        self.assertIsInstance(self.stack, Stack)
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)
    def test_wrong(self):
        self.assertEqual(self.stack.pop(), 99)
    @unittest.skip('not now')
    def test_skipped(self):
        self.fail()
    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

if __name__ == '__main__':
    unittest.main()
`,
      ),
    ).toEqual({
      'StackTest.test_empty': 'passed',
      'StackTest.test_expected': 'passed',
      'StackTest.test_order': 'passed',
      'StackTest.test_pop': 'passed',
      'StackTest.test_sub': 'FAILED: line 34: (n=1) 1 == 1',
      'StackTest.test_wrong': 'FAILED: line 36: 2 != 99',
    })
  })

  it('runs pytest functions and classes with parameters, fixtures and marks', async () => {
    expect(
      await run(
        `${STACK}
def mean(values):
    if not values:
        raise ValueError('mean of an empty list')
    return sum(values) / len(values)

def greet(name):
    print('Hello, ' + name)
`,
        `
import sys
import pytest
import solution
from solution import mean

@pytest.fixture
def numbers():
    return [1, 2, 3, 4]

@pytest.fixture
def stack(numbers):
    made = solution.Stack(numbers)
    yield made
    assert len(made) < 5

@pytest.mark.parametrize('values, expected', [([1, 2], 1.5), ([0.1, 0.2], 0.15), ([5], 6)])
def test_mean(values, expected):
    assert mean(values) == pytest.approx(expected)

@pytest.mark.parametrize('n', [1, 2], ids=['one', 'two'])
@pytest.mark.parametrize('sign', [pytest.param(-1, id='minus'), 1])
def test_ids(n, sign):
    assert mean([n * sign]) == n * sign

def test_raises():
    with pytest.raises(ValueError, match='empty') as info:
        mean([])
    assert 'mean' in str(info.value)

def test_does_not_raise():
    with pytest.raises(ValueError):
        mean([1])

def test_fixture(stack, numbers):
    stack.push(9)
    assert stack.pop() == 9
    assert numbers == [1, 2, 3, 4]

def test_teardown_fails(stack):
    stack.push(5)

def test_prints(capsys):
    solution.greet('Ada')
    assert capsys.readouterr().out == 'Hello, Ada\\n'

@pytest.mark.skipif(sys.version_info < (99,), reason='later')
def test_later():
    assert False

@pytest.mark.slow
class TestStack:
    def setup_method(self):
        self.stack = solution.Stack()
    @pytest.fixture
    def full(self):
        return solution.Stack([1])
    def test_len(self):
        assert len(self.stack) == 0
    def test_full(self, full):
        assert full.pop() == 1
    def helper(self):
        raise RuntimeError

def test_no_warning():
    with pytest.warns(UserWarning):
        pass
`,
      ),
    ).toEqual({
      'test_mean[values0-1.5]': 'passed',
      'test_mean[values1-0.15]': 'passed',
      'test_mean[values2-6]': 'FAILED: line 19: 5.0 == approx(6)',
      'test_ids[minus-one]': 'passed',
      'test_ids[minus-two]': 'passed',
      'test_ids[1-one]': 'passed',
      'test_ids[1-two]': 'passed',
      test_raises: 'passed',
      test_does_not_raise: expect.stringContaining('DID NOT RAISE ValueError'),
      test_fixture: 'passed',
      test_teardown_fails: 'FAILED: line 15: 5 < 5',
      test_prints: 'passed',
      'TestStack.test_len': 'passed',
      'TestStack.test_full': 'passed',
      test_no_warning: expect.stringContaining('DID NOT WARN'),
    })
  })

  it('takes each assert of a script as a test, or the script as one', async () => {
    const code = 'import math\n\ndef area(r):\n    return math.pi * r ** 2\n'
    expect(
      await run(
        code,
        'close = lambda a, b: abs(a - b) < 1e-6\nassert close(area(1), math.pi)\nassert area(0) == 0\nassert area(0) == 0\nassert area(2) == 5, "wrong area"\n',
      ),
    ).toEqual({
      'assert close(area(1), math.pi)': 'passed',
      'assert area(0) == 0': 'passed',
      'assert area(0) == 0 #2': 'passed',
      'assert area(2) == 5, "wrong area"': 'FAILED: line 5: wrong area (area(2) == 5)',
    })
    expect(await run(code, 'for r in range(3):\n    assert area(r) >= 0\n')).toEqual({
      script: 'passed',
    })
    expect(await run(code, 'assert missing(1) == 2\n')).toEqual({
      'assert missing(1) == 2': "FAILED: line 1: NameError: name 'missing' is not defined",
    })
  })

  it('does not let a sample replace what tests take from the language or its library', async () => {
    const code =
      'def f(x):\n    return 0\ndef len(x):\n    return 5\nclass math:\n    isclose = staticmethod(lambda *a: True)\n'
    expect(await run(code, 'assert len([1]) == 5\nassert math.isclose(f(1), 3)\n')).toMatchObject({
      'assert len([1]) == 5': expect.stringContaining('FAILED'),
      'assert math.isclose(f(1), 3)': expect.stringContaining('FAILED'),
    })
  })

  it('runs check(candidate) with the helpers of its prelude', async () => {
    const prompt = 'def poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\n\n'
    const tests = `
METADATA = {'author': 'x'}

def check(candidate):
    for xs in ([1, 2], [-6, 11, -6, 1]):
        assert abs(poly(xs, candidate(list(xs)))) < 1e-4
`
    const body = `def find_zero(xs):
    low, high = -100.0, 100.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        if poly(xs, low) * poly(xs, middle) <= 0:
            high = middle
        else:
            low = middle
    return low
`
    const reference = prompt + body
    const graded = (code: string): Promise<Record<string, string>> =>
      run(code, source(tests, 'find_zero', reference))
    expect(await graded(reference)).toEqual({ check: 'passed' })
    // A wrong helper in the answer does not replace the helper of the tests.
    expect(
      await graded('def poly(xs, x):\n    return 0\ndef find_zero(xs):\n    return 7.0\n'),
    ).toMatchObject({ check: expect.stringContaining('FAILED') })
    expect(await graded('def other():\n    pass\n')).toMatchObject({
      check: expect.stringContaining("no attribute 'find_zero'"),
    })
  })

  it.each([
    [
      'lists in place',
      'def f(xs):\n    xs.sort()\n',
      'xs = [3, 1, 2]\n    candidate(xs)\n    assert xs == [1, 2, 3]',
    ],
    [
      'tuples',
      'def f(a, b):\n    return (b, a)\n',
      'assert candidate(1, 2) == (2, 1)\n    assert candidate(1, 2) != [2, 1]',
    ],
    ['floats', 'def f(x):\n    return x / 3\n', 'assert abs(candidate(1.0) - 0.3333333333) < 1e-6'],
    [
      'None',
      'def f(x):\n    return None if x < 0 else x\n',
      'assert candidate(-1) is None\n    assert candidate(1) == 1',
    ],
    [
      'dicts',
      'from collections import Counter\ndef f(s):\n    return Counter(s)\n',
      "assert candidate('abca') == {'a': 2, 'b': 1, 'c': 1}",
    ],
    [
      'hashes',
      'import hashlib\ndef f(s):\n    return hashlib.md5(s.encode()).hexdigest() if s else None\n',
      "assert candidate('Hello world') == '3e25960a79dbc69b674cd4ec67a72c62'\n    assert candidate('') is None",
    ],
    [
      'booleans',
      'def f(n):\n    return n > 1 and all(n % d for d in range(2, n))\n',
      'assert candidate(7)\n    assert not candidate(8)\n    assert candidate(2) == True',
    ],
  ])('passes right answers in the shape of HumanEval: %s', async (_, code, body) => {
    const tests = `\n\nMETADATA = {}\n\n\ndef check(candidate):\n    ${body}\n`
    expect(await run(code, source(tests, 'f'))).toEqual({ check: 'passed' })
    expect(await run('def f(*args):\n    return 41\n', source(tests, 'f'))).toMatchObject({
      check: expect.stringContaining('FAILED'),
    })
  })

  it('compares calls as data', async () => {
    const code = `
class TooBig(ValueError):
    pass

def f(kind, x):
    if kind == 'raise':
        raise TooBig('no')
    if kind == 'key':
        return {}['k']
    return {'tuple': (1, [2.0]), 'bool': True, 'near': 0.30000000000000004, 'keys': {1: 'a'},
            'set': {1}, 'echo': x, 'gen': (i for i in range(3))}[kind]
`
    const call = (kind: string, rest: object) => ({ args: [kind, [1]], ...rest })
    const report = await bench.run(code, {
      kind: 'calls',
      entryPoint: 'f',
      calls: [
        call('tuple', { returns: [1, [2]] }),
        call('bool', { returns: 1 }),
        call('near', { returns: 0.3 }),
        call('near', { returns: 0.3, tolerance: 1e-9 }),
        call('keys', { returns: { 1: 'a' } }),
        call('set', { returns: [1] }),
        call('echo', { returns: [1] }),
        call('gen', { returns: [0, 1, 2] }),
        call('raise', { throws: 'TooBig' }),
        call('raise', { throws: 'ValueError' }),
        call('raise', { throws: 'KeyError' }),
        call('key', { throws: 'KeyError' }),
        call('key', { returns: 1 }),
        call('echo', { throws: 'ValueError' }),
      ],
    })
    expect(report.tests?.map(({ passed }) => passed)).toEqual([
      ...[true, false, false, true, true, false, true, true],
      ...[true, true, false, true, false, false],
    ])
    expect(report.tests?.[0]?.name).toBe('f("tuple", [1])')
    expect(report.tests?.[10]?.message).toContain('raised TooBig: no')
  })

  it('counts all tests as failed where the code cannot be loaded', async () => {
    const report = await bench.run(
      'raise RuntimeError("at once")\n',
      'import solution\ndef test_a():\n    pass\nclass TestB:\n    def test_b(self):\n        pass\n',
    )
    expect(outcomes(report)).toEqual({
      test_a:
        'FAILED: the code failed when it was loaded: RuntimeError: at once (solution.py, line 1)',
      'TestB.test_b':
        'FAILED: the code failed when it was loaded: RuntimeError: at once (solution.py, line 1)',
    })
    expect(report.fault).toBeNull()
  })

  it('says the expression of an assertion with its message', async () => {
    const tests = 'def test_x():\n    assert x == 2, "no %d" % x\n'
    expect(await run('x = 1\n', tests)).toEqual({ test_x: 'FAILED: line 2: no 1 (x == 2)' })
  })

  it('is not a failure of the code where the tests cannot be read', async () => {
    const unreadable = run('x = 1\n', 'def test_(:\n')
    await expect(unreadable).rejects.toThrow('they cannot be compiled')
    await expect(unreadable).rejects.toBeInstanceOf(TestsFault)
    // The next solution is tested normally.
    expect(
      await run('x = 1\n', 'from solution import x\ndef test_x():\n    assert x == 1\n'),
    ).toEqual({
      test_x: 'passed',
    })
  })

  it('says so where the tests end their own process', async () => {
    const report = await bench.run(
      'def f():\n    return 1\n',
      'import os\nfrom solution import f\ndef test_f():\n    os._exit(f() + 2)\n',
    )
    expect(outcomes(report)).toEqual({
      test_f: 'FAILED: the tests ended their own process (exit code 3)',
    })
  })

  it('fails the last test where what tests share cannot be taken down', async () => {
    const tests = (teardown: string): string =>
      `import pytest\nfrom solution import f\n${teardown}\ndef test_a(shared):\n    assert f() == shared\ndef test_b():\n    assert f() == 1\n`
    const fixture = (scope: string, end: string): string =>
      `@pytest.fixture(scope="${scope}")\ndef shared():\n    yield 1\n    ${end}\n`
    const code = 'def f():\n    return 1\n'
    expect(await run(code, tests(fixture('module', 'pass')))).toEqual({
      test_a: 'passed',
      test_b: 'passed',
    })
    for (const teardown of [
      fixture('module', 'assert f() == 2'),
      `${fixture('session', 'pass')}\ndef teardown_module():\n    assert f() == 2\n`,
    ])
      expect(await run(code, tests(teardown))).toEqual({
        test_a: 'passed',
        test_b: expect.stringContaining('1 == 2'),
      })
    expect(
      await run(
        code,
        'from solution import f\nclass TestA:\n    @classmethod\n    def setup_class(cls):\n        pass\n    @classmethod\n    def teardown_class(cls):\n        assert f() == 2\n    def test_a(self):\n        pass\n    def test_b(self):\n        pass\ndef test_c():\n    pass\n',
      ),
    ).toEqual({
      'TestA.test_a': 'passed',
      'TestA.test_b': expect.stringContaining('1 == 2'),
      test_c: 'passed',
    })
  })

  it('reports tests that import what is not there', async () => {
    expect(await run('x = 1\n', 'from solution import y\ndef test_y():\n    pass\n')).toMatchObject(
      {
        test_y: expect.stringContaining("cannot import name 'y'"),
      },
    )
  })

  it('does not count tests that the answer brings itself', async () => {
    const code =
      'import unittest\n\ndef f():\n    return 1\n\nclass Own(unittest.TestCase):\n    def test_own(self):\n        pass\n\ndef test_own():\n    pass\n\nif __name__ == "__main__":\n    unittest.main()\n'
    expect(
      await run(code, 'from solution import *\n\ndef test_f():\n    assert f() == 1\n'),
    ).toEqual({ test_f: 'passed' })
    await expect(bench.run(code, 'import solution\n')).rejects.toThrow('there is no test in them')
  })

  it('imports the other files of an answer and what the case brings', async () => {
    const report = await bench.run(
      '',
      'from shapes.circle import Circle\nfrom solution import area\n\ndef test_area():\n    assert area(Circle(2)) == 12\n    assert isinstance(Circle(1), Circle)\n',
      {
        files: {
          'solution.py':
            'from shapes.circle import Circle\nfrom units import PI\n\ndef area(c: Circle):\n    return PI * c.r ** 2\n',
          'shapes/circle.py':
            'from dataclasses import dataclass\nfrom . import base\n\n@dataclass\nclass Circle(base.Shape):\n    r: float\n',
          'shapes/base.py': 'class Shape:\n    pass\n',
          'shapes/__init__.py': '',
        },
        support: { 'units.py': 'PI = 3\n' },
      },
    )
    expect(outcomes(report)).toEqual({ test_area: 'passed' })
  })

  it('says where it does not compile, and what is defined', async () => {
    const broken = await bench.run('def f():\n    return (\n', 'assert f()\n')
    expect(broken).toMatchObject({
      compiled: false,
      tests: null,
      fault: null,
      errors: [{ file: 'solution.py', line: 2, code: 'SyntaxError', message: expect.any(String) }],
    })
    const zero = await bench.run('x = 1\0\n', null)
    expect(zero.compiled).toBe(false)
    const fine = await bench.run(
      'x = "\\d"\ntry:\n    import fast\nexcept ImportError:\n    def fast(): pass\nclass A:\n    def m(self): pass\nasync def g(): pass\ntwice = lambda x: 2 * x\n',
      null,
      { define: true },
    )
    expect(fine).toMatchObject({
      compiled: true,
      tests: null,
      defined: { functions: ['fast', 'g', 'twice'], types: ['A'] },
      // The name of the warning category depends on the Python version.
      notes: [{ line: 1, code: expect.stringContaining('Warning') }],
    })
  })
})
