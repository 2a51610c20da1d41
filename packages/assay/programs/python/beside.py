"""Tests beside the sample, in one process: the level `inventory`.

For tests that need more than values can carry. The nonce is read before the sample is loaded, the test
source only arrives after it, and what the sample may have patched of the language and of unittest is put
back before the tests run. Every test that is expected must report once, with the nonce; the list of those
was made elsewhere. A sample that goes out of its way can still reach the tests from within its calls,
which is why this level is not the first choice and is recorded on the grade.
"""
import ast
import builtins
import sys
import types
import unittest
import unittest.case

from _assay import collect, fixtures, prelude, standin
from _assay.failure import came_through, describe
from _assay.sample import Stage


def _copies():
    """What tests stand on, as it is now."""
    kept = [builtins, unittest, unittest.case, unittest.case.TestCase, unittest.TestResult, ast, types]
    return [(thing, dict(vars(thing))) for thing in kept]


def _restore(copies):
    for thing, names in copies:
        for name, value in names.items():
            try:
                if vars(thing).get(name, copies) is not value:
                    setattr(thing, name, value)
            except (AttributeError, TypeError):
                pass
    sys.settrace(None)
    sys.setprofile(None)


def prepare(lines):
    stage = Stage()
    return lambda wire: _work(stage, wire)


def _work(stage, wire):
    task = stage.begin(wire)
    if task is None:
        return
    nonce = task['nonce']
    copies = _copies()
    sys_modules = sys.modules

    def tell(**what):
        wire.write({'nonce': nonce, **what})

    try:
        stage.load()
    except BaseException as error:
        tell(failed='the code failed when it was loaded: ' + describe(_placed(error)),
             memory=isinstance(error, MemoryError))
        return
    module = stage.module
    _restore(copies)
    tell(loaded=True)
    tests = wire.read()
    collect.stop_main()
    fixtures.folder = _make_folder
    sys_modules['pytest'] = standin.make_module()
    space = collect.main_module()
    try:
        source = collect.parse(tests['source'])
        prelude.fill(space, tests, source, set(vars(module)), lambda name: getattr(module, name))
        found = collect.load(source, tests['entryPoint'], space)
    except BaseException as error:
        tell(failed='the tests could not be loaded: ' + describe(_placed(error)), memory=False)
        return
    memory = False
    outcome = {}
    for test in found:
        try:
            test.run()
            passed, message = True, None
        except standin.Skipped as skip:
            own = came_through(skip) is None
            passed, message = (None, str(skip)) if own else (False, 'the code raised a skip')
        except BaseException as error:
            memory = memory or isinstance(error, MemoryError)
            passed, message = False, describe(_placed(error))
        before = outcome.get(test.base)
        # One name, all of its parameters: the first that failed speaks for it.
        if before is None or before[0] is not False and passed is not None and (passed is False or before[0] is None):
            outcome[test.base] = (passed, message)
    for name, (passed, message) in outcome.items():
        tell(result=[name, passed, message])
    tell(done=True, memory=memory)


def _make_folder():
    import pathlib
    import tempfile

    return pathlib.Path(tempfile.mkdtemp(dir='.')).absolute()


def _placed(error):
    """The exception with where it came from in the sample."""
    try:
        BaseException.__setattr__(error, '_assay_where', came_through(error))
    except (AttributeError, TypeError):
        pass
    return error
