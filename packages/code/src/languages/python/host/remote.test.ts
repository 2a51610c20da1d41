/**
 * What isolated tests can do with values, objects, classes, functions and exceptions of a solution in another
 * process.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

const isReady = await isPythonReady()

const CODE = `
import asyncio, collections, dataclasses, datetime, decimal, enum, fractions, functools, itertools, json, math
from typing import NamedTuple

def same(x):
    return x

def kind(x):
    return type(x).__name__

def values():
    return [None, True, 2**80, -2**70, -0.0, math.inf, '\\ud800é', b'\\x00\\xff', (1, (2,)), {1, 2},
            frozenset({3}), {(1, 2): 'a', None: [1]}, 1 + 2j, decimal.Decimal('1.10'), fractions.Fraction(1, 3),
            datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.timezone.utc), datetime.date(2000, 1, 1),
            datetime.timedelta(days=1, microseconds=5), range(1, 9, 2), collections.deque([1], maxlen=3),
            collections.OrderedDict(b=1, a=2), collections.Counter('aab'), bytearray(b'x'), slice(1, 2), ...]

class Point:
    origin = (0, 0)
    def __init__(self, x, y=0):
        self.x, self.y = x, y
    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self):
        return hash((self.x, self.y))
    def __repr__(self):
        return f'Point({self.x}, {self.y})'
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
    def __mul__(self, k):
        return Point(self.x * k, self.y * k)
    def __truediv__(self, k):
        return Point(self.x / k, self.y / k)
    def __lt__(self, other):
        return self.x < other.x
    def __neg__(self):
        return Point(-self.x, -self.y)
    def __bool__(self):
        return bool(self.x or self.y)
    @property
    def norm(self):
        return math.hypot(self.x, self.y)
    @classmethod
    def of(cls, pair):
        return cls(*pair)
    @staticmethod
    def zero():
        return Point(0)

class Point3(Point):
    pass

class Grid:
    def __init__(self):
        self.cells = {}
        self.log = []
    def __getitem__(self, key):
        return self.cells[key]
    def __setitem__(self, key, value):
        self.cells[key] = value
    def __delitem__(self, key):
        del self.cells[key]
    def __len__(self):
        return len(self.cells)
    def __iter__(self):
        return iter(self.cells)
    def __contains__(self, key):
        return key in self.cells
    def __call__(self, n):
        return n + 1
    def __enter__(self):
        self.log.append('in')
        return self
    def __exit__(self, kind, error, traceback):
        self.log.append(kind and kind.__name__)
        return kind is KeyError

class Pair(NamedTuple):
    left: int
    right: int

@dataclasses.dataclass(frozen=True, order=True)
class Item:
    name: str
    price: float = 1.5

class Color(enum.Enum):
    RED = 'red'
    BLUE = 'blue'

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

class Items(list):
    def total(self):
        return sum(self)

class AppError(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code

class DeepError(AppError, ValueError):
    pass

def fail(kind):
    if kind == 'deep':
        raise DeepError('deep', 7)
    if kind == 'cause':
        try:
            {}['k']
        except KeyError as error:
            raise RuntimeError('outer') from error
    if kind == 'json':
        json.loads('{')
    if kind == 'frozen':
        Item('a').name = 'b'
    raise kind

def count(n):
    for i in range(n):
        yield i

def naturals():
    return itertools.count()

def apply(fn, *args, **kwargs):
    return fn(*args, **kwargs)

def memo(fn):
    seen = {}
    @functools.wraps(fn)
    def wrapper(*args):
        if args not in seen:
            seen[args] = fn(*args)
        return seen[args]
    wrapper.seen = seen
    return wrapper

def each(items, fn):
    for item in items:
        fn(item)

def swap(xs):
    xs[0], xs[-1] = xs[-1], xs[0]
    return xs

def fill(d, nested):
    d['new'] = [1]
    nested[0].append(5)
    nested[1].add('x')

class Odd:
    """A name of its own, a changed method and one that comes and goes."""
    def __init__(self):
        self.count, self.calls = 3, []
    def count(self):
        return -1
    def note(self, *args, **named):
        self.calls.append((args, named))
        return self
    def __getattr__(self, name):
        if name.startswith('made_'):
            return lambda *args: (name, args)
        raise AttributeError(name)
    def change(self):
        type(self).note = lambda self, *args: 'changed'

class Collector:
    def __init__(self, into):
        self.into = into
    def add(self, x):
        self.into.append(x)
    def items(self):
        return self.into
    def copy(self):
        return list(self.into)

async def later(x):
    await asyncio.sleep(0)
    if x < 0:
        raise ValueError('negative')
    return x * 2

async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def call_async(fn, x):
    return await fn(x) + 1

class Session:
    async def __aenter__(self):
        return 'open'
    async def __aexit__(self, *error):
        return False

def show(name):
    print('Hi', name)
    return len(name)

total = 0
def bump():
    global total
    total += 1
    return total

def soon(seconds, fn):
    import threading
    threading.Timer(seconds, fn, [1]).start()

def spread(fn, n):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(fn, range(n)))

def fits(fn):
    import inspect
    return len(inspect.signature(fn).parameters)
`

/** Test bodies that must all pass. */
const RIGHT: Record<string, string> = {
  'values arrive exactly': `
    found = solution.values()
    expected = [None, True, 2**80, -2**70, -0.0, math.inf, '\\ud800é', b'\\x00\\xff', (1, (2,)), {1, 2},
        frozenset({3}), {(1, 2): 'a', None: [1]}, 1 + 2j, Decimal('1.10'), Fraction(1, 3),
        datetime(2024, 2, 29, 1, 2, 3, 4, timezone.utc), date(2000, 1, 1), timedelta(days=1, microseconds=5),
        range(1, 9, 2), deque([1], maxlen=3), OrderedDict(b=1, a=2), Counter('aab'), bytearray(b'x'),
        slice(1, 2), ...]
    assert found == expected
    assert [type(x) for x in found] == [type(x) for x in expected]
    assert math.copysign(1, found[4]) == -1 and str(found[13]) == '1.10' and found[19].maxlen == 3
    assert math.isnan(solution.same(math.nan))`,
  'arguments arrive exactly': `
    for x, name in [(1, 'int'), (1.0, 'float'), (True, 'bool'), ((1,), 'tuple'), ([1], 'list'), (10**5000, 'int'),
                    ({1}, 'set'), (b'', 'bytes'), (None, 'NoneType'), (date.today(), 'date')]:
        assert solution.kind(x) == name
        assert solution.same(x) == x and type(solution.same(x)) is type(x)
    assert solution.same(int) is int and solution.same(ValueError) is ValueError`,
  'objects are made, compared and used': `
    p = solution.Point(1, 2)
    assert p == solution.Point(1, 2) and p != solution.Point(1, 3) and not (p == 3)
    assert p + solution.Point(1) == solution.Point(2, 2)
    assert p * 2 == solution.Point(2, 4) and p / 2 == solution.Point(0.5, 1.0)
    assert -p == solution.Point(-1, -2)
    assert p.x == 1 and p.norm == math.hypot(1, 2)
    p.x = 10
    assert p.x == 10 and str(p) == 'Point(10, 2)' and f'{p}' == repr(p)
    assert len({solution.Point(1), solution.Point(1), solution.Point(2)}) == 2
    assert sorted([solution.Point(3), solution.Point(1)])[0].x == 1
    assert solution.Point.of([3, 4]).norm == 5 and solution.Point.zero() == solution.Point(0)
    assert solution.Point.origin == (0, 0) and not solution.Point(0)
    assert vars(p) == {'x': 10, 'y': 2} and hasattr(p, 'y') and not hasattr(p, 'z')
    assert copy.deepcopy(p) == p and copy.copy(p) is not p
    assert sum([solution.Point(1), solution.Point(2)], solution.Point(0)) == solution.Point(3)`,
  'methods are those of the moment': `
    odd = solution.Odd()
    assert odd.count == 3 and odd.count + 1 == 4
    with raises(TypeError, match='not callable'): odd.count()
    assert odd.note(1).note(2, a=3) is odd and odd.calls == [((1,), {}), ((2,), {'a': 3})]
    note = odd.note
    assert note() is odd and len(odd.calls) == 3
    assert odd.made_up(1) == ('made_up', (1,)) and odd.made_up is not None
    with raises(AttributeError, match='missing'): odd.missing(1)
    order = []
    def seen(x):
        order.append(x)
        return x
    assert [odd.note(seen(n)) is odd for n in (1, 2)] == [True, True] and order == [1, 2]
    odd.change()
    assert odd.note(1) == 'changed' and solution.Odd.note(odd, 1) == 'changed'
    odd.note = 5
    assert odd.note == 5`,
  'classes are classes': `
    p = solution.Point3(1)
    assert isinstance(p, solution.Point) and isinstance(p, solution.Point3)
    assert not isinstance(solution.Point(1), solution.Point3)
    assert issubclass(solution.Point3, solution.Point) and type(p) is solution.Point3
    assert type(p).__name__ == 'Point3' and p.__class__ is solution.Point3
    with raises(TypeError): solution.Point()
    with raises(AttributeError): p.nothing`,
  'containers act as such': `
    g = solution.Grid()
    g['a'] = 1
    assert g['a'] == 1 and len(g) == 1 and 'a' in g and 'b' not in g and list(g) == ['a'] and g(4) == 5
    del g['a']
    with raises(KeyError): g['a']
    with g as inner:
        assert inner is g
        raise KeyError('swallowed')
    assert g.log == ['in', 'KeyError']
    assert isinstance(g, collections.abc.Iterable) and callable(g)
    assert not isinstance(solution.Point(1), collections.abc.Sized) and not callable(solution.Point(1))`,
  'named tuples, data classes and enums': `
    p = solution.Pair(1, 2)
    assert p == (1, 2) and p.left == 1 and p[1] == 2 and isinstance(p, tuple) and p._replace(left=5) == (5, 2)
    left, right = p
    assert solution.Item('a') == solution.Item('a', 1.5) and solution.Item('a') < solution.Item('b')
    assert repr(solution.Item('a')) == "Item(name='a', price=1.5)"
    with raises(dataclasses.FrozenInstanceError): solution.fail('frozen')
    assert solution.Color('red') is solution.Color.RED and solution.Color['BLUE'].value == 'blue'
    assert [c.name for c in solution.Color] == ['RED', 'BLUE'] and solution.Color.RED != 'red' and len(solution.Color) == 2
    assert solution.Level.HIGH == 2 and solution.Level.LOW < solution.Level.HIGH and solution.Level.HIGH + 1 == 3
    items = solution.Items([1, 2])
    assert items == [1, 2] and items.total() == 3
    items.append(4)
    assert items == [1, 2, 4] and items != [1, 2]`,
  'exceptions are what they are': `
    with raises(solution.AppError) as info: solution.fail('deep')
    assert info.value.code == 7 and str(info.value) == 'deep' and info.value.args == ('deep',)
    with raises(ValueError): solution.fail('deep')
    with raises(solution.DeepError): raise solution.DeepError('mine', 1)
    with raises(RuntimeError) as info: solution.fail('cause')
    assert isinstance(info.value.__cause__, KeyError)
    with raises(json.JSONDecodeError): solution.fail('json')
    with raises(UnicodeDecodeError): solution.apply(b'\\xff'.decode, 'utf-8')
    with raises(ZeroDivisionError): solution.apply(lambda: 1 / 0)
    with raises(SystemExit): solution.fail(SystemExit(3))
    class Mine(Exception): pass
    mine = Mine('x')
    def boom(): raise mine
    try:
        solution.apply(boom)
        assert False
    except Mine as error:
        assert error is mine`,
  'iterators are lazy': `
    g = solution.count(3)
    assert next(g) == 0 and list(g) == [1, 2]
    with raises(StopIteration): next(g)
    assert list(itertools.islice(solution.naturals(), 300)) == list(range(300))
    assert [a for a, b in zip(solution.naturals(), 'ab')] == [0, 1]
    assert sum(solution.count(1000)) == 499500`,
  'functions of the test are called': `
    seen = []
    solution.each([1, 2], seen.append)
    assert seen == [1, 2]
    assert solution.apply(lambda a, b=2, *, c: a + b + c, 1, c=4) == 7
    calls = []
    @solution.memo
    def slow(n):
        "doc"
        calls.append(n)
        return n if n < 2 else slow(n - 1) + slow(n - 2)
    assert slow(10) == 55 and len(calls) == 11 and slow.__name__ == 'slow' and slow.__doc__ == 'doc'
    assert slow.seen[(3,)] == 2
    f = lambda: None
    assert solution.same(f) is f
    assert solution.apply(solution.same, 5) == 5
    mock = Mock(return_value=3)
    assert solution.apply(mock, 1, k=2) == 3
    mock.assert_called_once_with(1, k=2)
    assert solution.fits(lambda a, b: 0) == 2
    class Clock:
        now = 5
        def tick(self): self.now += 1
    clock = Clock()
    solution.apply(clock.tick)
    assert clock.now == 6 and solution.same(clock) is clock`,
  'what is changed in place is changed here': `
    xs = [1, 2, 3]
    assert solution.swap(xs) is xs and xs == [3, 2, 1]
    d, nested = {}, ([], set())
    solution.fill(d, nested)
    assert d == {'new': [1]} and nested == ([5], {'x'})
    data = [0]
    c = solution.Collector(data)
    c.add(1)
    assert data == [0, 1] and c.items() is data
    data.append(2)
    assert c.items() == [0, 1, 2]
    mine = c.copy()
    mine.append(9)
    assert c.copy() == [0, 1, 2]
    loop = []
    loop.append(loop)
    assert solution.same(loop) is loop`,
  'coroutines are awaited': `
    assert asyncio.run(solution.later(4)) == 8
    async def main():
        with raises(ValueError): await solution.later(-1)
        assert await asyncio.gather(solution.later(1), solution.later(2)) == [2, 4]
        assert [x async for x in solution.ticks(3)] == [0, 1, 2]
        async def double(x):
            await asyncio.sleep(0)
            return 2 * x
        assert await solution.call_async(double, 3) == 7
        async with solution.Session() as s:
            return s
    assert asyncio.run(main()) == 'open'`,
  'a test hands over nothing that leads to it': `
    import unittest
    for own in (unittest, unittest.TestCase(), (i for i in [1]).gi_frame, test.__code__):
        with raises(TypeError): solution.same(own)`,
  'what is printed arrives': `
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert solution.show('Bo') == 2
    assert out.getvalue() == 'Hi Bo\\n'`,
  'state stays, and names can be patched': `
    assert solution.bump() == 1 and solution.bump() == 2 and solution.total == 2
    with patch.object(solution, 'total', 10):
        assert solution.bump() == 11
    assert solution.bump() == 3`,
  'timers of the sample call while a test sleeps': `
    seen = []
    solution.soon(0.02, seen.append)
    assert seen == []
    time.sleep(0.2)
    assert seen == [1]`,
  'threads of the sample and of the test get along': `
    assert solution.spread(lambda x: solution.same(x) * 2, 8) == [0, 2, 4, 6, 8, 10, 12, 14]
    import threading
    ts = [threading.Thread(target=solution.bump) for _ in range(8)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    assert solution.total == 8`,
}

describe.skipIf(!isReady)('tests by remote values', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const IMPORTS = `
import asyncio, collections, collections.abc, contextlib, copy, dataclasses, io, itertools, json, math, time
from collections import Counter, OrderedDict, deque
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from unittest.mock import Mock, patch
from pytest import raises
import solution

def test():
`

  it.each(Object.entries(RIGHT))('%s', async (_, body) => {
    expect(outcomes(await bench.run(CODE, `${IMPORTS}${body.replace(/^\n/, '')}\n`))).toEqual({
      test: 'passed',
    })
  })

  it('starts the same tests anew for every sample', async () => {
    const tests = `
import solution
seen = []
def test_first():
    seen.append(solution.f())
    assert seen == [1]
    assert solution.LATE == 1
`
    const code = 'LATE = 1\n\ndef f():\n    return 1\n'
    for (const [source, passed] of [
      [code, true],
      [code.replace('return 1', 'return 2'), false],
      [code, true],
      ['raise ValueError\n', false],
      ['import os\nLATE = 1\ndef f():\n    os._exit(0)\n', false],
      [code, true],
    ] as const) {
      const report = await bench.run(source, tests)
      expect(report.tests?.map((test) => test.passed)).toEqual([passed])
    }
  })

  it('refuses what would let the sample tester itself', async () => {
    const code = `
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 3
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __sub__(self, other): return 0.0
    __rsub__ = __truediv__ = __rtruediv__ = __xor__ = __and__ = __sub__
    def __abs__(self): return 0.0
    def __round__(self, *n): return 0
    def __contains__(self, item): return True
    def __iter__(self): return iter([3])
    def __len__(self): return 3

class Sly(Yes):
    def __sub__(self, other): return self
    __rsub__ = __sub__

class Int(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__

class Str(str):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = str.__hash__

class Floaty(float):
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__

def f(kind): return {'yes': Yes(), 'sly': Sly(), 'int': Int(4), 'str': Str('b'), 'float': Floaty(9.0)}[kind]
class check(Yes):
    def __init__(self, *args): pass
`
    const tests = `
import math, unittest, pytest, solution
from solution import f

${[
  "assert f('yes') == 3",
  "assert 3 == f('yes')",
  "assert not (f('yes') != 3)",
  "assert f('yes') in (1, 2, 3)",
  "assert f('yes') in {3}",
  "assert [f('yes')] == [3]",
  "assert {'a': f('yes')} == {'a': 3}",
  "assert f('yes') < 10",
  "assert 1 < f('yes')",
  "assert abs(f('yes') - 3.0) < 1e-6",
  "assert abs(3.0 - f('yes')) < 1e-6",
  "assert abs(f('sly') - 3.0) < 1e-6",
  "assert round(f('sly') - 3.0, 5) == 0",
  "assert f('yes') / 3 == 1",
  "assert math.isclose(f('yes'), 3)",
  "assert f('yes') == pytest.approx(3)",
  "assert pytest.approx(3) == f('yes')",
  "assert 3 in f('yes') and 4 in f('yes')",
  "assert f('int') == 3",
  "assert 3 == f('int')",
  "assert f('str') == 'a'",
  "assert 'a' == f('str')",
  "assert f('str') in ['a']",
  "assert f('float') == 3.0",
  "assert abs(f('float') - 3.0) < 1e-6",
  "unittest.TestCase().assertEqual(f('yes'), 3)",
  "unittest.TestCase().assertAlmostEqual(f('yes'), 3)",
  "unittest.TestCase().assertAlmostEqual(f('sly'), 3)",
  "unittest.TestCase().assertIn(3, f('yes'))",
  "unittest.TestCase().assertCountEqual(f('yes'), [1, 2])",
  'assert solution.check(1) == 3',
  "assert f('yes') == solution.Yes",
  "assert f('yes') == solution.check(3)",
]
  .map((line, index) => `def test_${index}():\n    ${line}`)
  .join('\n')}
`
    const report = await bench.run(code, tests)
    expect(report.tests).toHaveLength(33)
    expect(report.tests?.filter(({ passed }) => passed).map(({ name }) => name)).toEqual([])
  })

  it('gives the sample no way from a test’s function to the test', async () => {
    const code = `
def f(callback, thing):
    found = []
    for path in ('__globals__', '__code__', '__closure__', '__self__', 'func', '__dict__', '__init__', '__class__'):
        for one in (callback, thing, thing.method, type(thing)):
            try:
                value = getattr(one, path)
            except Exception:
                continue
            found.append(repr(value))
    import sys, gc
    wanted = ''.join(['hun', 'ter2'])
    for one in gc.get_objects():
        held = list(one.values()) if type(one) is dict else one if type(one) in (list, tuple) else []
        found.extend(text for text in held if type(text) is str and wanted in text and text is not wanted)
    del wanted, held, one
    frame = sys._getframe()
    while frame:
        found.append(repr(frame.f_locals) + repr(list(frame.f_globals)))
        frame = frame.f_back
    return '\\n'.join(found)
`
    const tests = `
import solution
EXPECTED = 'hunter2'
class Thing:
    def method(self): return EXPECTED
    def __init__(self): self._hidden = 'hunter2'
def test():
    text = solution.f(lambda x: EXPECTED, Thing())
    assert len(text) > 10
    assert EXPECTED not in text
    assert 'def test' not in text
`
    expect(outcomes(await bench.run(code, tests))).toEqual({ test: 'passed' })
  })
})
