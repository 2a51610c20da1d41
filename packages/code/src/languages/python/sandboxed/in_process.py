"""Runs tests in the process of the solution: the integrity level `in-process`.

This is for tests that need more than calls to a remote solution. The nonce (a secret random text) is read before
the solution is loaded, and the test source arrives only after that. The functions that the tests rely on are
created before, so that the solution's changes to modules do not affect them. `wary.py` does the comparisons, by
exact types. Every expected test must report once, with the nonce. The list of expected tests is made in another
process. A determined solution can still manipulate the tests while they call it. So this level is used only if
necessary, and it is recorded with the grade.
"""
import ast
import builtins
import importlib
import sys
import types
import unittest
import unittest.case

from _assay import assertions, built_in, collect, doctests, failure, operators, prelude, rewrite, test_source, trust, wary
from _assay.failure import came_through, describe
from _assay.helper_files import HelperFiles
from _assay.marks import Skipped
from _assay.solution import Stage


def prepare(lines):
    stage = Stage()
    collect.stop_main()
    surroundings = assertions.Surroundings()
    test_source.compared, test_source.note = operators.compare, operators.note
    test_source.HELPERS.update(rewrite.HELPERS)
    failure.is_answers = trust.came_from_answer
    built_in.folder = _make_folder
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
            # The import will fail again in the tests, which then report it.
            continue
        surroundings.hold(name, module)
        if name == 'doctest':
            doctests.guard(module, rewrite.guarded)
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
        source = test_source.Source(tests['source'], rewrite.guarded)
        surroundings.helpers = HelperFiles(tests.get('helpers'), rewrite.guarded, surroundings.builtins)
        for one in (source, *surroundings.helpers.sources.values()):
            trust.trust_code(one.code)
        prelude.fill(
            space, tests, source, set(vars(module)), lambda name: getattr(module, name), surroundings.module,
            rewrite.guarded,
        )
        found = collect.load(source, tests['entryPoint'], space, surroundings.helpers)
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
        except Skipped as skip:
            own = not trust.came_from_answer(skip)
            passed, message = (None, str(skip)) if own else (False, 'the code raised a skip')
        except BaseException as error:
            memory = memory or isinstance(error, MemoryError)
            passed, message = False, describe(_placed(error))
        if wary.refusals and passed is not False:
            passed, message = False, wary.refusals[0]
        before = outcome.get(test.base)
        # All parameters of a test share one name. If one of them fails, the first failure is reported.
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
    """Adds the line of the solution that raised the exception to the exception, and returns it."""
    try:
        BaseException.__setattr__(error, '_assay_where', came_through(error))
    except (AttributeError, TypeError):
        pass
    return error
