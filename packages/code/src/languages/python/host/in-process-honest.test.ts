/** Tests in the answer's process accept honest classes of the answer, and all classes of the standard library. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

describe.skipIf(!(await isPythonReady()))('tests in the process of the answer', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())
  const run = (code: string, tests: string) => bench.run(code, tests, { integrity: 'in-process' })

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
})
