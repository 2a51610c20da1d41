"""Runs a server's work a few times before the server forks.

Python completes some setup only while it runs: it specializes code, fills caches, and imports modules lazily. If
this is done before the first fork, all forks share the result. Otherwise each fork repeats it on memory pages that
it must copy first. The code that runs here is ours, and its side effects are undone.
"""
import os
import sys
import time

from _assay.wire import Wire

_SOLUTION = '''"""Some text."""
from dataclasses import dataclass


@dataclass
class Point:
    x: int


def f(values):
    """Some text."""
    if not values:
        raise ValueError('no values')
    return [value for value in sorted(values)]
'''

_TESTS = '''
import unittest
from solution import f, Point


class CaseTest(unittest.TestCase):
    def setUp(self):
        self.values = [2, 1]

    def test_one(self):
        self.assertEqual(f(self.values), [1, 2])

    def test_two(self):
        with self.assertRaises(ValueError):
            f([])


def test_three():
    assert f([1]) == [1]


def check(candidate):
    pass
'''

_FUNCTION = {'g': [0, {'n': 'f', 'a': False}]}
_CLASS = {'k': [1, {'n': 'Point', 'q': 'Point', 'm': 'solution', 'd': [], 'h': 0, 'c': False, 'v': None, 'b': []}]}
_ERROR = {'X': [2, {'B': 'ValueError'}, ['no values'], 'no values', ['solution.py', 13], None]}


def _list(number, *items):
    return {'m': [number, 'l', None, list(items)]}


_SAMPLE = (
    {
        'files': {'solution.py': _SOLUTION}, 'main': 'solution.py', 'support': {}, 'define': False, 'run': True,
        'path': None, 'nonce': '',
    },
    [
        ['q', 0, 'load', None, []],
        ['q', 1, 'name_get', None, ['solution', 'f']],
        ['q', 2, 'name_get', None, ['solution', 'Point']],
        ['q', 3, 'call', None, [{'j': 0}, _list(0, 2, 1)]],
        ['q', 4, 'call', None, [{'j': 0}, _list(1)]],
        ['q', 5, 'call', None, [{'j': 1}, 3]],
    ],
)
_TESTER = (
    {
        'tests': {'kind': 'source', 'source': _TESTS, 'entryPoint': None, 'prelude': None},
        'modules': ['solution.py'], 'main': 'solution.py', 'path': None, 'list': False,
    },
    [
        ['r', 0, None, {'t': [{'t': ['f', 'Point']}, {'t': []}]}],
        ['r', 1, None, _FUNCTION],
        ['r', 2, None, _CLASS],
        ['r', 3, None, _list(0, 1, 2)],
        ['x', 4, None, _ERROR],
        ['r', 5, None, _list(1, 1)],
    ],
)
_SCRIPTS = {'solution': _SAMPLE, 'tester': _TESTER}


def warmup(role, prepare, times=3):
    script = _SCRIPTS.get(role)
    if script is None:
        return
    # The module is loaded only in testers.
    unittest = sys.modules.get('unittest')
    kept = (sys.stdout, list(sys.meta_path), list(sys.path), dict(sys.modules), time.sleep,
            sys.getrecursionlimit(), sys.argv, unittest and unittest.main)
    for _ in range(times):
        pipes = [os.pipe() for _ in range(4)]
        (asks, host_in), (host_out, tells), (reads, there), (away, writes) = pipes
        Wire(host_out, host_in).write(script[0])
        line = Wire(away, there)
        for message in script[1]:
            line.write(message)
        os.close(there)
        os.close(host_in)
        try:
            prepare([reads, writes])(Wire(asks, tells))
        except BaseException as error:  # noqa: B036 - its end is the end of the script
            del error
        for fd in (asks, host_out, tells, reads, away, writes):
            os.close(fd)
        sys.stdout, sys.meta_path[:], sys.path[:] = kept[:3]
        sys.modules.clear()
        sys.modules.update(kept[3])
        time.sleep = kept[4]
        sys.setrecursionlimit(kept[5])
        sys.argv = kept[6]
        if unittest is not None:
            unittest.main = kept[7]
