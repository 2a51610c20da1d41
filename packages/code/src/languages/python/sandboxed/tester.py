"""The tester: runs the hidden tests in a separate process and requests values from the solution's process.

It has a direct connection to the solution's process and another one to the host. It sends the list of tests before
the first test runs, and each result when it is known. The host tells the tester if the solution has ended.

Every test source has its own tester fork. A tester accepts the next solution for the same tests if the last
solution left nothing behind. The tests are run again for each solution, and the tester only ever gets values of a
solution, not its code. The server may stop a tester between two solutions while other testers use the same lines.
"""
import gc
import importlib.util
import json
import math
import resource
import sys
import time
import types
import unittest
import warnings

from _assay import collect, counting, doctests, features, log_capture, prelude, proxies, pytest_stub, test_source
from _assay.failure import describe
from _assay.helper_files import HelperFiles
from _assay.marks import Skipped
from _assay.modules import SOLUTION, module_name, parents
from _assay.peer import Peer, SampleGone
from _assay.wire import Watched


def prepare(lines):
    return lambda wire: _work(wire, lines)


def _work(wire, lines):
    sys.setrecursionlimit(5000)
    # Each solution leaves some garbage in this process. It is cheaper to collect it rarely, in large batches.
    gc.set_threshold(50_000, 20, 20)
    collect.stop_main()
    # Warnings are not printed. Tests that check warnings record them in another way.
    warnings.showwarning = lambda *args, **kwargs: None
    tests = source = counts = helpers = None
    habits, known = Habits(), False
    while True:
        task = wire.read()
        if 'gone' in task:
            # This message reports the end of the previous solution. It arrived after that solution's last result, so
            # it is ignored.
            continue
        tests = task['tests'] = task['tests'] or tests
        try:
            if source is None and tests['kind'] == 'source':
                text = tests['source']
                if task.get('count'):
                    counts, text = counting.Counts(), counting.counted(text)
                source = test_source.Source(text)
                helpers = HelperFiles(task.get('helpers'))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            # The tests are at fault, not an answer.
            wire.write({'wrong': 'they cannot be compiled: %s' % _compile_fault(error)})
            return
        if source is not None and not task.get('count') and test_source.is_empty(source, tests['entryPoint']):
            wire.write({'wrong': 'there is no test in them'})
            return
        if source is not None and not known:
            found = _check(source, helpers, task)
            if found is not None and (found[0] == 'wrong' or not task['list']):
                wire.write(dict([found]))
                return
            known = True
        if task['list']:
            names = test_source.written_names(source, tests['entryPoint'])
            wire.write({'tests': names, 'imports': _all_imports(source, helpers)})
            return
        path, finders = list(sys.path), list(sys.meta_path)
        make_peer = Peer if counts is None else counts.peer
        peer = make_peer(Watched(*lines, wire), True, secret=(unittest.TestCase, unittest.TestResult))
        time.sleep = peer.rest
        if task['path'] is not None:
            sys.path.insert(0, task['path'])
        peer.replay = log_capture.replay
        Tester(wire, peer, task, source, habits, counts, helpers).go()
        sys.path[:], sys.meta_path[:] = path, finders
        for name in [name for name, module in sys.modules.items() if type(module) is _Module or _is_helper(module)]:
            del sys.modules[name]


def _compile_fault(error):
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return 'line %d: %s' % (error.lineno, error.msg)
    return str(error)


def _is_helper(module):
    return type(getattr(getattr(module, '__spec__', None), 'loader', None)) is HelperFiles


def _check(source, helpers, task):
    names = {SOLUTION, module_name(task.get('main') or ''), task.get('module')} - {None}
    return features.check(source.tree, [one.tree for one in set(helpers.sources.values())], names)


def _all_imports(source, helpers):
    own = {*helpers.sources, *(name.split('.')[0] for name in helpers.sources)}
    found = {name for one in (source, *helpers.sources.values()) for name in one.imports()}
    return sorted(name for name in found if name not in own)


#: A tester that uses more memory than this is not used again.
_MOST_KB = 256 * 1024


def _is_unchanged():
    """True if the last solution left nothing behind that could affect the next one."""
    threads = sys.modules.get('threading')
    return (threads is None or threads.active_count() == 1) and (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _MOST_KB
    )


class Habits:
    """What the same tests did with earlier solutions. It is used only to save messages, and does not affect
    results."""

    def __init__(self):
        #: The test names that were last sent.
        self.names = None
        #: The names that the tests read from the solution before they did anything else with it. They are requested
        #: in advance next time.
        self.wanted = []


class Tester:
    """Runs the tests of one task. `source`: the test source, or None for calls as data. `counts`: counts what the
    tests do, or None."""

    def __init__(self, wire, peer, task, source, habits, counts=None, helpers=None):
        self.wire, self.peer, self.task, self.source, self.memory = wire, peer, task, source, False
        self.habits, self.counts, self.unready, self.helpers = habits, counts, None, helpers

    def go(self):
        tests = self._prepare()
        names = [test.name for test in tests]
        if names != self.habits.names:
            self.habits.names = names
            self.wire.write({'tests': names})
        told, results = time.monotonic(), []
        for index, test in enumerate(tests):
            results.append([index, *self._run(test)])
            # Results are sent at most every 50 ms. So most runs need only one message, but few results are lost if
            # this process is killed.
            if time.monotonic() - told > 0.05:
                self.wire.write({'results': results})
                told, results = time.monotonic(), []
        gone = self.peer.gone and ['output' if self.peer.flooded else 'crash', self.peer.gone]
        # The tester can be used again even if the solution has ended, but not if the solution sent invalid messages,
        # because these may have changed its state.
        again = not self.peer.broken and not self.memory and _is_unchanged() and self.counts is None
        message = {'results': results, 'done': True, 'memory': self.memory, 'gone': gone, 'again': again}
        if self.unready is not None:
            message['unready'] = self.unready
        if self.counts is not None:
            message['activity'] = self.counts.told()
        self.wire.write(message)

    def _run(self, test):
        if self.peer.gone is not None:
            return False, self.peer.gone
        try:
            test.run()
        except Skipped as skip:
            if self.peer.gone is None:
                return None, str(skip)
        except BaseException as error:
            if self.peer.gone is None:
                self.memory = self.memory or isinstance(error, MemoryError)
                return False, describe(error)
        # The test may have caught the exception that reports the end of the solution. It still fails.
        return (True, None) if self.peer.gone is None else (False, self.peer.gone)

    def _prepare(self):
        tests, source = self.task['tests'], self.source
        try:
            self._load()
        except BaseException as error:
            self.memory = isinstance(error, MemoryError)
            names = test_source.written_names(source, tests['entryPoint']) if source else _call_names(tests)
            gone = self.peer.gone
            why = gone if gone is not None else 'the code failed when it was loaded: ' + describe(error)
            return _failing(names, why)
        if source is None:
            return _calls(tests, self.peer)
        try:
            space = self._space(source)
            missing = source.missing()
            if missing is not None:
                return self._unready('the tests import %s, which is not there' % missing, missing)
            return collect.load(source, tests['entryPoint'], space, self.helpers)
        except Skipped as skip:
            return _failing(test_source.written_names(source, tests['entryPoint']), skip)
        except BaseException as error:
            if self.peer.gone is None:
                return self._unready('the tests could not be loaded: ' + describe(error))
            return _failing(test_source.written_names(source, tests['entryPoint']) or ['tests'], self.peer.gone)

    def _unready(self, why, module=None):
        self.unready = {'text': why} if module is None else {'text': why, 'module': module}
        return _failing(test_source.written_names(self.source, self.task['tests']['entryPoint']) or ['tests'], why)

    def _load(self):
        wanted = self.habits.wanted
        offered, taken = self.peer.ask('load', *wanted)
        self._offered = set(offered)
        ahead = {name: value for name, value in taken if name in wanted}
        self.peer.ahead = _Ahead(ahead, wanted)

    def _space(self, source):
        """Returns the initial variables of the tests."""
        tests, peer = self.task['tests'], self.peer
        self.helpers.forget()
        finder = _Remote(peer, self.task['modules'], self.task['main'], self.task.get('module'))
        sys.meta_path.insert(0, finder)
        if any('pytest' in one.text for one in (source, *self.helpers.sources.values())):
            sys.modules['pytest'] = pytest_stub.make_module()
            sys.modules['pytest_asyncio'] = pytest_stub.make_asyncio_module()
        if 'doctest' in tests['source']:
            import doctest

            doctests.guard(doctest)
            doctests.is_solution = _is_solution
        space = collect.main_module()
        self.helpers.install()
        if any(word in one.text for one in (source, *self.helpers.sources.values()) for word in _WATCHING):
            peer.ask('watch')
        prelude.fill(space, tests, source, self._offered, lambda name: _taken(peer, SOLUTION, name))
        return space


#: Words that occur in tests that check warnings or log records of the solution.
_WATCHING = ('warn', 'Warn', 'logging', 'caplog', 'assertLogs', 'assertNoLogs')


def _is_solution(subject):
    return type(subject) is _Module or isinstance(subject, str) and type(sys.modules.get(subject)) is _Module


class _Ahead:
    """Functions and classes that the solution sent in advance. They are valid until the tests make the solution
    run code."""

    def __init__(self, values, wanted):
        self.values, self.wanted = values, wanted


def _taken(peer, module, name):
    ahead = peer.ahead
    if ahead is not None and module == SOLUTION:
        if name in ahead.values:
            return ahead.values[name]
        if name not in ahead.wanted:
            ahead.wanted.append(name)
        # The solution's module may define `__getattr__`, so this request may run its code. Values sent in advance are
        # then no longer valid.
        ahead.values = {}
    return peer.ask('name_get', module, name)


class _Module(types.ModuleType):
    """The proxy of a module of the solution."""

    def __getattr__(self, name):
        if name == '__all__':
            return list(_peer.ask('names', self.__name__))
        if name.startswith('__'):
            raise AttributeError(name)
        return _taken(_peer, self.__name__, name)

    def __setattr__(self, name, value):
        if name.startswith('__') or isinstance(value, types.ModuleType):
            return super().__setattr__(name, value)
        _peer.ask('name_set', self.__name__, name, value)

    def __delattr__(self, name):
        _peer.ask('name_del', self.__name__, name)


_peer = None


class _Remote:
    def __init__(self, peer, paths, main, alias):
        global _peer
        _peer = peer
        self._same = {SOLUTION, module_name(main), alias} - {None}
        self._names = {module_name(path) for path in paths} | self._same
        self._packages = {package for name in self._names if name for package in parents(name)}

    def find_spec(self, name, path=None, target=None):
        if name in self._names or name in self._packages:
            return importlib.util.spec_from_loader(name, self, is_package=name in self._packages)
        return None

    def create_module(self, spec):
        return _Module(SOLUTION if spec.name in self._same else spec.name)

    def exec_module(self, module):
        # Imports the module in the solution's process, which may print or raise. The main module of the solution is
        # already imported.
        if module.__name__ != SOLUTION:
            _peer.ask('importing', module.__name__)


# ── Tests that have no source ────────────────────────────────────────────────────────────────────


def _failing(names, why):
    def run():
        raise why if isinstance(why, Skipped) else AssertionError(why)

    return [collect.Test(name, run) for name in names]


def _call_names(tests):
    def shown(value):
        return json.dumps(value, ensure_ascii=False)

    names = ['%s(%s)' % (tests['entryPoint'], ', '.join(map(shown, one['args']))) for one in tests['calls']]
    return test_source.unique([name if len(name) <= 120 else name[:119] + '…' for name in names])


def _calls(tests, peer):
    found = []

    def function():
        # The function is fetched once. If it does not exist, every call reports that.
        if not found:
            first, *rest = tests['entryPoint'].split('.')
            value = _taken(peer, SOLUTION, first)
            for part in rest:
                value = getattr(value, part)
            found.append(value)
        return found[0]

    def test(one):
        return lambda: _call(function(), one)

    return [collect.Test(name, test(one)) for name, one in zip(_call_names(tests), tests['calls'])]


def _call(function, one):
    try:
        returned = function(*one['args'])
        if hasattr(type(returned), '__await__'):
            returned = proxies.link.ask('await', returned)
        elif hasattr(type(returned), '__next__'):
            returned = list(returned)
    except SampleGone:
        raise
    except BaseException as error:
        if one.get('throws') is None:
            raise
        names = [kind.__name__ for kind in type(error).__mro__]
        if one['throws'] not in names:
            raise AssertionError('raised %s, not %s' % (describe(error), one['throws']))
        return
    if one.get('throws') is not None:
        raise AssertionError('returned %s and raised no %s' % (test_source.short(returned), one['throws']))
    if 'returns' in one and not same(returned, one['returns'], one.get('tolerance')):
        raise AssertionError('returned %s, not %s' % (test_source.short(returned), test_source.short(one['returns'])))


def same(found, expected, tolerance):
    """True if the values are equal as JSON values: JSON has only one kind of number and one of sequence, and only
    strings as keys."""
    if isinstance(expected, bool) or isinstance(found, bool) or expected is None or found is None:
        return type(found) is type(expected) and found == expected
    if isinstance(expected, (int, float)):
        if not isinstance(found, (int, float)):
            return False
        if tolerance is None or found == expected:
            return found == expected
        return math.isfinite(found) and abs(found - expected) <= tolerance
    if isinstance(expected, str):
        return isinstance(found, str) and found == expected
    if isinstance(expected, list):
        return (
            isinstance(found, (list, tuple))
            and len(found) == len(expected)
            and all(same(one, other, tolerance) for one, other in zip(found, expected))
        )
    if not isinstance(found, dict) or len(found) != len(expected):
        return False
    by_text = {key if isinstance(key, str) else json.dumps(key) if type(key) in (int, float, bool) else key: value
               for key, value in found.items()}
    return by_text.keys() == expected.keys() and all(
        same(by_text[key], value, tolerance) for key, value in expected.items()
    )
