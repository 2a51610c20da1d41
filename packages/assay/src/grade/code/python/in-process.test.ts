/**
 * Tests in the answer's process compare on exact types: no method of the answer's objects decides a verdict, and
 * honest classes still work.
 *
 * Related paths that were checked: every operator in asserts and elsewhere in a test source, chains, `in` with
 * containers and iterators, truth, arithmetic with what is expected, built-in functions, `operator`, `math`, list
 * methods, `match`, all assertions of unittest (also the asynchronous class), `pytest.approx`, mocks and callbacks,
 * classes of the tests' own, objects of the library that hold such objects, changes to modules and built-in functions
 * when loaded and when called, skips and exits. Isolated tests have `proxies.py` for the same; Rust has `lies.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CodeReport } from '../language.ts'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

/** Every method that a test might ask, as a class of this base; `Liar()` is made without arguments. */
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

/** Each is right for 3 only. `f` returns the value; `g` hands it to a function. */
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
/** Without functions: each assert is a test. */
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
  const run = (code: string, tests: string) => bench.run(code, tests, { integrity: 'inventory' })

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
      // Each was asked: none of them failed before that.
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

  it('believe honest classes and everything of the library', async () => {
    const code = `
import collections, dataclasses, datetime, decimal, enum, fractions, functools, pathlib, typing, uuid

class Point:
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self): return hash((self.x, self.y))
    def __add__(self, other): return Point(self.x + other.x, self.y + other.y)
    def __mul__(self, k): return Point(self.x * k, self.y * k)
    def __truediv__(self, k): return Point(self.x / k, self.y / k)
    def __sub__(self, other): return Point(self.x - other.x, self.y - other.y)
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __repr__(self): return f'Point({self.x}, {self.y})'
@dataclasses.dataclass(order=True, frozen=True)
class Card:
    rank: int
    suit: str = dataclasses.field(default='x', compare=False)
@functools.total_ordering
class Version:
    __slots__ = ('parts',)
    def __init__(self, text): self.parts = [int(p) for p in text.split('.')]
    def __eq__(self, other): return self.parts == other.parts
    def __lt__(self, other): return self.parts < other.parts
class Color(enum.Enum):
    RED = 'red'
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
class Mode(str, enum.Enum):
    READ = 'r'
class Access(enum.IntFlag):
    R = 4
    W = 2
Pair = collections.namedtuple('Pair', 'a b')
class Typed(typing.NamedTuple):
    a: int
    b: str = ''
class Vector(tuple):
    def __add__(self, other): return Vector(a + b for a, b in zip(self, other))
    def __mul__(self, k): return Vector(a * k for a in self)
class Mod7(int):
    def __eq__(self, other): return int(self) % 7 == int(other) % 7
    __hash__ = int.__hash__
class Names(list):
    pass
class Config(dict):
    def __getattr__(self, name): return self[name]
class Folded(dict):
    def __contains__(self, key): return dict.__contains__(self, key.lower())
    def __getitem__(self, key): return dict.__getitem__(self, key.lower())
class Stack:
    def __init__(self, *items): self.items = list(items)
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __contains__(self, item): return item in self.items
    def __getitem__(self, at): return self.items[at]
    def __eq__(self, other): return isinstance(other, Stack) and self.items == other.items
class Node:
    def __init__(self, value, rest=None): self.value, self.rest = value, rest
    def __eq__(self, other):
        return other is not None and self.value == other.value and self.rest == other.rest
class Nil:
    def __eq__(self, other): return isinstance(other, Nil)
class Celsius:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return self.n == other.celsius()
    def celsius(self): return self.n
class Fahrenheit:
    def __init__(self, n): self.n = n
    def celsius(self): return (self.n - 32) / 1.8
    def __eq__(self, other): return self.celsius() == other.celsius()
class Failure(ValueError):
    def __init__(self, code): super().__init__(code); self.code = code

def fail(code): raise Failure(code)
def every():
    return {
        'int': 3, 'big': 10 ** 30, 'float': 0.1 + 0.2, 'text': 'a', 'none': None, 'list': [1, (2, {3})],
        'counter': collections.Counter('aab'), 'ordered': collections.OrderedDict(a=1, b=2),
        'default': collections.defaultdict(list, {'a': [1]}), 'deque': collections.deque([1, 2]),
        'fraction': fractions.Fraction(1, 3), 'decimal': decimal.Decimal('1.50'),
        'date': datetime.date(2020, 1, 2), 'path': pathlib.PurePosixPath('a/b'), 'uuid': uuid.UUID(int=5),
        'delta': datetime.timedelta(1), 'bytes': b'x', 'range': range(3), 'frozen': frozenset([1]),
    }
`
    const tests = `
import collections, datetime, decimal, fractions, math, operator, pathlib, pickle, unittest, uuid
from unittest.mock import ANY, Mock, call, patch
import pytest
import solution
from solution import *

def test_point():
    assert Point(1, 2) == Point(1, 2) and Point(1, 2) != Point(2, 1) and not Point(1, 2) == Point(1, 3)
    assert [Point(1, 2)] == [Point(1, 2)] and {Point(1, 2)} == {Point(1, 2)} and Point(1, 2) in [Point(1, 2)]
    assert {Point(1, 2): 1} == {Point(1, 2): 1} and {Point(1, 2)} - {Point(1, 2)} == set()
    assert Point(1, 2) + Point(1, 1) == Point(2, 3) and Point(1, 2) * 2 == Point(2, 4) and Point(2, 4) / 2 == Point(1, 2)
    assert Point(1, 2) != (1, 2) and Point(1, 2) != None and abs(Point(3, 4)) == 5 and abs(Point(3, 4) - Point(3, 4)) < 1
    assert repr(Point(1, 2)) == 'Point(1, 2)' and Point(1, 2).x == 1

def test_pickle():
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)
    assert pickle.loads(pickle.dumps(Card(1))) == Card(1)

def test_ordered():
    assert Card(1) < Card(2) and Card(1) == Card(1, 'y') and sorted([Card(2), Card(1)]) == [Card(1), Card(2)]
    assert Version('1.2') < Version('1.10') and Version('1.2') >= Version('1.2') and max(Version('1'), Version('2')) == Version('2')
    assert Version('1') < Version('2') < Version('3')

def test_enum():
    assert Color('red') == Color.RED and Color.RED is Color.RED and Color.RED != 'red' and Color.RED.value == 'red'
    assert Level.HIGH == 2 and Level.LOW < 2 and Level.HIGH - 1 == 1 and sum([Level.LOW, Level.HIGH]) == 3
    assert Mode.READ == 'r' and Mode('r') in ('r', 'w') and Access.R | Access.W == 6 and (Access.R | Access.W) & Access.R
    assert [Level.LOW] == [1] and {Level.LOW: 1} == {1: 1}

def test_tuples():
    assert Pair(1, 2) == Pair(1, 2) == (1, 2) and Pair(1, 2)._replace(a=3) == (3, 2) and Typed(1) == (1, '')
    assert Vector((1, 2)) + Vector((1, 1)) == Vector((2, 3)) and Vector((1, 2)) * 2 == (2, 4) and Vector() == ()
    assert Mod7(8) == Mod7(1) and not Mod7(8) == Mod7(2) and Mod7(3) == 3

def test_containers():
    assert Names(['a']) == ['a'] and not Names() and Config(a=1) == {'a': 1} and Config(a=1).a == 1
    assert 'A' in Folded(a=1) and 'b' not in Folded(a=1) and Folded(a=1)['A'] == 1
    assert len(Stack(1, 2)) == 2 and list(Stack(1)) == [1] and 1 in Stack(1) and 2 not in Stack(1) and not Stack()
    assert Stack(1) == Stack(1) and Stack(1)[0] == 1 and Stack(1) != Stack(2)
    assert Node(1, Node(2)) == Node(1, Node(2)) and Node(1) != Node(1, Node(2)) and Nil() == Nil()
    assert Celsius(0) == Fahrenheit(32)

def test_library():
    found = every()
    assert found['int'] == 3 and found['big'] == 10 ** 30 and found['float'] == pytest.approx(0.3)
    assert found['text'] == 'a' and found['none'] is None and found['list'] == [1, (2, {3})]
    assert found['counter'] == collections.Counter(a=2, b=1) == {'a': 2, 'b': 1}
    assert found['ordered'] == collections.OrderedDict(a=1, b=2) == {'b': 2, 'a': 1}
    assert found['ordered'] != collections.OrderedDict(b=2, a=1) and found['default'] == {'a': [1]}
    assert found['deque'] == collections.deque([1, 2]) and found['fraction'] == fractions.Fraction(1, 3)
    assert found['fraction'] * 3 == 1 and abs(found['fraction'] - 0.333) < 0.01 and found['decimal'] == decimal.Decimal('1.5')
    assert found['date'] == datetime.date(2020, 1, 2) and found['date'] < datetime.date(2021, 1, 1)
    assert found['path'] == pathlib.PurePosixPath('a/b') and found['path'] / 'c' == pathlib.PurePosixPath('a/b/c')
    assert found['uuid'] == uuid.UUID(int=5) and found['delta'] * 2 == datetime.timedelta(2)
    assert found['bytes'] == b'x' and found['range'] == range(3) and found['frozen'] == {1}
    assert math.isclose(found['float'], 0.3) and operator.itemgetter('int')(found) == 3 and operator.add(1, 2) == 3
    assert '%d %s' % (found['int'], found['text']) == '3 a' and -found['int'] == -3 and 2 ** 3 - 1 == 7
    assert float('nan') != float('nan') and not [1] == [1.5] and [1] == [1.0] == [True]

class Near:
    def __init__(self, point): self.point = point
    def __eq__(self, other): return isinstance(other, Point) and abs(other.x - self.point.x) < 0.1

def test_matchers():
    assert Point(1, 2) == ANY and [Point(1, 2)] == [ANY] and Point(1, 2) == Near(Point(1.01, 0)) and Point(2, 0) != Near(Point(1, 0))
    hook = Mock()
    hook(Point(1, 2), n=3)
    hook.assert_called_once_with(Point(1, 2), n=3)
    assert hook.call_args == call(Point(1, 2), n=3) and hook.call_args_list == [call(ANY, n=3)]
    with pytest.raises(AssertionError):
        hook.assert_called_once_with(Point(1, 3), n=3)

def test_errors():
    with pytest.raises(Failure) as caught:
        fail(3)
    assert caught.value.code == 3 and caught.value.args == (3,) and str(caught.value) == '3'
    with pytest.raises(ValueError, match='4'):
        fail(4)

def test_patched():
    with patch('solution.fail', return_value=5):
        assert solution.fail(1) == 5
    with patch('builtins.print') as printed:
        print(1)

class Square(Point):
    pass

def test_derived():
    assert Square(1, 2) == Point(1, 2) and isinstance(Square(1, 2), Point) and not isinstance(Point(1, 2), (int, str))

class Cases(unittest.TestCase):
    def test_all(self):
        self.assertEqual(Point(1, 2), Point(1, 2))
        self.assertNotEqual(Point(1, 2), Point(2, 2))
        self.assertIn(Point(1, 2), [Point(1, 2)])
        self.assertCountEqual([Point(1, 2), Point(2, 1)], [Point(2, 1), Point(1, 2)])
        self.assertIsInstance(Point(1, 2), Point)
        self.assertDictEqual({'p': Pair(1, 2)}, {'p': (1, 2)})
        self.assertListEqual([Card(1)], [Card(1)])
        self.assertLess(Card(1), Card(2))
        self.assertAlmostEqual(every()['float'], 0.3)
        self.assertTrue(Stack(1))
        self.assertFalse(Stack())
        self.assertIs(Color.RED, Color('red'))
        self.assertRegex(Mode.READ, 'r')
        with self.assertRaises(Failure):
            fail(1)
        self.addTypeEqualityFunc(Point, lambda a, b, msg=None: self.assertEqual(a.x, b.x, msg))
        self.assertEqual(Point(1, 2), Point(1, 3))
    def test_skipped(self):
        self.skipTest('not now')
`
    const found = outcomes(await run(code, tests))
    expect(Object.values(found).filter((one) => one !== 'passed')).toEqual([])
    expect(Object.keys(found)).toHaveLength(12)
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
