"""Runs unittest classes test by test, each with its own result."""
import functools
import inspect
import re
import unittest

from _assay import failure, fixtures
from _assay.fixtures import Test
from _assay.marks import Skipped, marks_of
from _assay.test_source import LOAD_TESTS, unique


class _Outcome(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.error, self.skipped_for = None, None

    def addError(self, test, err):
        self.error = self.error or err[1]

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None and self.error is None:
            self.error = err[1]
            BaseException.__setattr__(err[1], '_assay_sub', subtest._subDescription())

    def addSkip(self, test, reason):
        self.skipped_for = reason

    def addUnexpectedSuccess(self, test):
        self.error = AssertionError('it was expected to fail and did not')


class _Class:
    """Class-level setup: runs before the first test of the class, and its teardown runs after the last."""

    def __init__(self, kind, names):
        self.kind, self.left, self.ready, self.error = kind, list(names), False, None

    def begin(self):
        if not self.ready:
            self.ready = True
            try:
                self.kind.setUpClass()
            except BaseException as error:
                self.error = error
        if self.error is not None:
            raise self.error

    def end(self, name):
        if name in self.left:
            self.left.remove(name)
        if not self.left and self.ready:
            try:
                if self.error is None:
                    self.kind.tearDownClass()
            finally:
                self.kind.doClassCleanups()
                for _, error, _ in getattr(self.kind, 'tearDown_exceptions', ()):
                    raise error


def expand(class_name, kind, context):
    """Returns the tests of a unittest class."""
    names = unittest.TestLoader().getTestCaseNames(kind)
    shared = _Class(kind, names)
    return [_test('%s.%s' % (class_name, name), lambda name=name: kind(name), name, shared, context) for name in names]


def expand_suite(suite, context):
    """Returns the tests of a suite that `load_tests` made."""
    found, classes = list(_flat(suite)), {}
    for case in found:
        classes.setdefault(type(case), []).append(_method(case))
    shared = {kind: _Class(kind, names) for kind, names in classes.items()}
    names = unique([re.sub(r'^__main__\.', '', case.id()) for case in found])
    return [
        _test(name, lambda case=case: case, _method(case), shared[type(case)], context, LOAD_TESTS)
        for name, case in zip(names, found)
    ]


def _flat(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from _flat(one)
        else:
            yield one


def _method(case):
    return getattr(case, '_testMethodName', None)


def _test(full, make, method, shared, context, base=None):
    kind = shared.kind
    function = getattr(kind, method or '', None) or getattr(kind, 'run')
    marks = [one for one in marks_of(function, kind, context.space) if one.name != 'parametrize']
    plan = fixtures.Plan(lambda: None, None if kind.__module__ != context.space['__name__'] else kind, marks, context)
    plan.function, plan.wanted = function, []
    plan.fixtures = [one for one in plan.fixtures if one not in context.function_hooks]
    run = fixtures.Run(full, plan, context, {}, {}, marks)

    def body():
        case = make() if run.this is None else run.this
        _run_case(case, method, shared)

    def go():
        if getattr(kind, '__unittest_skip__', False):
            raise Skipped(getattr(kind, '__unittest_skip_why__', ''))
        run.this = make() if plan.fixtures else None
        run.body = body
        run.go()

    return Test(full, go, base or full, kind)


def _run_case(case, method, shared):
    try:
        shared.begin()
    except unittest.SkipTest as skip:
        raise own_skip(skip)
    outcome, own = _Outcome(), []
    parts = ('setUp', method, 'tearDown') if method is not None and hasattr(case, method) else ()
    for part in parts:
        if getattr(getattr(case, part), '__unittest_skip__', False):
            own.append(True)
        setattr(case, part, _honest(getattr(case, part), own))
    try:
        case.run(outcome)
    finally:
        shared.end(method)
    if outcome.error is not None:
        raise outcome.error
    if outcome.skipped_for is not None and not own:
        raise AssertionError(_SKIPPED)
    if outcome.skipped_for is not None:
        raise Skipped(outcome.skipped_for)


def _honest(method, own):
    """Wraps the method so that only the test itself can skip the test, not the answer. A skip by the test is
    recorded in `own`."""

    def told(skip):
        skip = own_skip(skip)
        if isinstance(skip, Skipped):
            own.append(True)
            return unittest.SkipTest(str(skip))
        return skip

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def run_later(*args):
            try:
                return await method(*args)
            except (unittest.SkipTest, Skipped) as skip:
                raise told(skip) from None

        return run_later

    @functools.wraps(method)
    def run(*args):
        try:
            return method(*args)
        except (unittest.SkipTest, Skipped) as skip:
            raise told(skip) from None

    return run


_SKIPPED = 'the code raised SkipTest'


def own_skip(skip):
    return AssertionError(_SKIPPED) if failure.is_answers(skip) else Skipped(str(skip))
