"""Tests in the process of the solution: the integrity `in-process`.

For tests that need more than values can carry. The nonce is read before the sample is loaded, the test
source only arrives after it. What the tests rely on was made before, of functions that the sample's changes to
modules do not reach; their comparisons are decided by `wary.py`, on exact types. Every test that is expected must
report once, with the nonce; the list of those was made elsewhere. A sample that goes out of its way can still
reach the tests from within its calls, which is why this level is not the first choice and is recorded on the grade.
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
    """Modules of the library that the tests import: the sample must not be the first to have them."""
    for name in names:
        if stage.finds(name):
            continue
        try:
            module = importlib.import_module(name)
        except BaseException:
            # The tests will say so themselves.
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
