"""Makes failing examples in docstrings fail a test.

`doctest.testmod` and `TextTestRunner.run` only print their failures. Nobody reads that output of hidden tests, so
both raise an error here instead. Examples in the solution itself were written by the answer, so they are not run.
"""
import ast
import types
import unittest

from _assay.marks import Unsupported

#: Returns whether a module is the solution's. The tester sets this function.
is_solution = None


def guard(module, guarded=None):
    """Replaces functions of the module `doctest`. `guarded`: see `test_source.Source`."""
    if hasattr(module, '_assay_guarded'):
        return
    module._assay_guarded = True
    if guarded is not None:
        # The doctest runner looks up `compile` in its module, so this replaces the built-in function.
        module.compile = lambda source, filename, mode, flags=0, dont_inherit=True: compile(
            guarded(ast.parse(source, filename, mode)), filename, mode, flags, dont_inherit)
    for name in ('testmod', 'testfile', 'DocTestSuite', 'run_docstring_examples'):
        setattr(module, name, _strict(name, getattr(module, name)))
    runner, run = module.DocTestRunner, module.DocTestRunner.run
    failures = []

    def counted(self, *args, **named):
        result = run(self, *args, **named)
        failures.append(result.failed)
        return result

    runner.run = counted
    module._assay_failures = failures


def _strict(name, function):
    import doctest

    def called(*args, **named):
        subject = args[0] if args else named.get('m', named.get('module'))
        if is_solution is not None and is_solution(subject):
            raise Unsupported('doctest.%s with the solution, whose examples are its own,' % name)
        before = len(doctest._assay_failures)
        result = function(*args, **named)
        failed = sum(doctest._assay_failures[before:])
        if name != 'DocTestSuite' and failed:
            raise AssertionError('%d of the examples failed' % failed)
        return result

    called.__name__ = called.__qualname__ = name
    return called


def stop_runners():
    """Makes `unittest.main` do nothing, because its tests are run one by one. Makes other runners raise an error
    if a test fails."""
    unittest.main = lambda *args, **kwargs: types.SimpleNamespace(result=unittest.TestResult())
    unittest.TextTestRunner.run = _run


def _run(self, test):
    result = unittest.TestResult()
    test(result)
    for _, text in result.failures + result.errors:
        raise AssertionError(text.strip().rpartition('\n')[2])
    for _ in result.unexpectedSuccesses:
        raise AssertionError('a test was expected to fail and did not')
    return result
