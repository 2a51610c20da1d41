"""Runs unittest classes test by test, each with its own result."""
import functools
import inspect
import unittest

from _assay import failure, pytest_stub
from _assay.fixtures import Test


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
    """Class-level setup: it runs before the first test of the class and is torn down after the last."""

    def __init__(self, kind, names):
        self.kind, self.left, self.ready, self.error = kind, set(names), False, None

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
        self.left.discard(name)
        if not self.left and self.error is None:
            self.kind.tearDownClass()
            self.kind.doClassCleanups()


def expand(class_name, kind):
    names = unittest.TestLoader().getTestCaseNames(kind)
    shared = _Class(kind, names)

    def run(name):
        if getattr(kind, '__unittest_skip__', False):
            raise pytest_stub.Skipped(getattr(kind, '__unittest_skip_why__', ''))
        try:
            shared.begin()
        except unittest.SkipTest as skip:
            raise _own_skip(skip)
        outcome, case, own = _Outcome(), kind(name), []
        if getattr(getattr(case, name), '__unittest_skip__', False):
            own.append(True)
        for part in ('setUp', name, 'tearDown'):
            setattr(case, part, _honest(getattr(case, part), own))
        try:
            case.run(outcome)
        finally:
            shared.end(name)
        if outcome.error is not None:
            raise outcome.error
        if outcome.skipped_for is not None and not own:
            raise AssertionError(_SKIPPED)
        if outcome.skipped_for is not None:
            raise pytest_stub.Skipped(outcome.skipped_for)

    return [Test('%s.%s' % (class_name, name), lambda name=name: run(name)) for name in names]


def _honest(method, own):
    """Returns the method wrapped so that only the test itself can skip. A skip is recorded in `own`."""

    def told(skip):
        skip = _own_skip(skip)
        if isinstance(skip, pytest_stub.Skipped):
            own.append(True)
            return unittest.SkipTest(str(skip))
        return skip

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def run_later(*args):
            try:
                return await method(*args)
            except unittest.SkipTest as skip:
                raise told(skip) from None

        return run_later

    @functools.wraps(method)
    def run(*args):
        try:
            return method(*args)
        except unittest.SkipTest as skip:
            raise told(skip) from None

    return run


_SKIPPED = 'the code raised SkipTest'


def _own_skip(skip):
    return AssertionError(_SKIPPED) if failure.is_answers(skip) else pytest_stub.Skipped(str(skip))
