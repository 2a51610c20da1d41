"""Tests in the process of the solution: the integrity level `in-process`.

It is for tests that need more than remote values support. The nonce is read before the solution is loaded, and the
test source arrives only after that. The functions that the tests rely on are created before, so that the solution's
changes to modules do not reach them. `wary.py` decides their comparisons, on exact types. Every expected test must
report once, with the nonce; the list of expected tests is made in another process. A determined solution can still
reach the tests from within its calls. So this level is not the first choice, and it is recorded on the grade.
"""
import ast
import builtins
import importlib
import sys
import types
import unittest
import unittest.case

from _assay import assertions, collect, failure, fixtures, operators, prelude, rewrite, pytest_stub, trust, wary
from _assay.failure import came_through, describe
from _assay.solution import Stage


def prepare(lines):
    stage = Stage()
    collect.stop_main()
    surroundings = assertions.Surroundings()
    collect.compared, collect.note = operators.compare, operators.note
    collect.HELPERS.update(rewrite.HELPERS)
    failure.is_answers = trust.came_from_answer
    fixtures.folder = _make_folder
    trust.keep([builtins, unittest, unittest.case, unittest.TestCase, unittest.TestResult, ast, types])
    trust.take()
    return lambda wire: _work(stage, surroundings, wire)


def _import_before(stage, surroundings, names):
    """Imports the library modules that the tests use, so that the solution is not the first to import them."""
    for name in names:
        if stage.finds(name):
            continue
        try:
            module = importlib.import_module(name)
        except BaseException:
            # The tests will report the failed import themselves.
            continue
        surroundings.hold(name, module)
        if module is not sys:
            trust.keep_module(module)
    trust.take()


def _work(stage, surroundings, wire):
    task = stage.begin(wire)
    if task is None:
        return
    nonce = task['nonce']
    _import_before(stage, surroundings, task['imports'])

    def tell(**what):
        wire.write({'nonce': nonce, **what})

    try:
        stage.load()
    except BaseException as error:
        tell(failed='the code failed when it was loaded: ' + describe(_placed(error)),
             memory=isinstance(error, MemoryError))
        return
    module = stage.module
    trust.restore()
    tell(loaded=True)
    tests = wire.read()
    space = collect.main_module()
    space['__builtins__'] = surroundings.builtins
    wary.forget()
    try:
        source = collect.parse(tests['source'], rewrite.guarded)
        trust.trust_code(source.code)
        prelude.fill(
            space, tests, source, set(vars(module)), lambda name: getattr(module, name), surroundings.module,
            rewrite.guarded,
        )
        found = collect.load(source, tests['entryPoint'], space)
    except BaseException as error:
        tell(failed='the tests could not be loaded: ' + describe(_placed(error)), memory=False, unready=True)
        return
    if wary.refusals:
        tell(failed='the tests could not be loaded: ' + wary.refusals[0], memory=False)
        return
    memory = False
    outcome = {}
    for test in found:
        wary.forget()
        try:
            test.run()
            passed, message = True, None
        except pytest_stub.Skipped as skip:
            own = not trust.came_from_answer(skip)
            passed, message = (None, str(skip)) if own else (False, 'the code raised a skip')
        except BaseException as error:
            memory = memory or isinstance(error, MemoryError)
            passed, message = False, describe(_placed(error))
        if wary.refusals and passed is not False:
            passed, message = False, wary.refusals[0]
        before = outcome.get(test.base)
        # All parameters of a test share one name. The first failure is reported for it.
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
    """Adds to the exception where in the solution it came from, and returns it."""
    try:
        BaseException.__setattr__(error, '_assay_where', came_through(error))
    except (AttributeError, TypeError):
        pass
    return error
