"""pytest's expectations: `raises`, `warns` and `approx`."""
import collections.abc
import math
import re
import traceback
import warnings

from _assay.marks import Failed


class ExceptionInfo:
    value = type = tb = None

    @property
    def typename(self):
        return self.type.__name__

    @property
    def traceback(self):
        return traceback.extract_tb(self.tb)

    def match(self, pattern):
        if not re.search(pattern, str(self.value)):
            raise AssertionError('Regex pattern did not match: %r is not in %r' % (_shown(pattern), str(self.value)))
        return True

    def exconly(self, tryshort=False):
        return '%s: %s' % (self.typename, self.value)

    def errisinstance(self, kind):
        return isinstance(self.value, kind)

    def __str__(self):
        return self.exconly()


def _shown(pattern):
    return getattr(pattern, 'pattern', pattern)


class _Raises:
    def __init__(self, expected, match=None, check=None):
        kinds = expected if isinstance(expected, tuple) else (expected,)
        for one in kinds:
            if not isinstance(one, type) or not issubclass(one, BaseException):
                raise TypeError('expected exception must be a BaseException type, not %r' % (one,))
        self.expected, self.pattern, self.check, self.caught = expected, match, check, ExceptionInfo()

    def __enter__(self):
        return self.caught

    def __exit__(self, kind, value, traceback):
        if kind is None:
            raise Failed('DID NOT RAISE %s' % _names(self.expected))
        if not issubclass(kind, self.expected):
            return False
        self.caught.type, self.caught.value, self.caught.tb = type(value), value, traceback
        if self.pattern is not None:
            self.caught.match(self.pattern)
        if self.check is not None and not self.check(value):
            raise AssertionError('the check of the exception returned False: %r' % value)
        return True


def _names(expected):
    return ' or '.join(one.__name__ for one in (expected if isinstance(expected, tuple) else (expected,)))


def raises(expected_exception, *args, match=None, check=None, **kwargs):
    context = _Raises(expected_exception, match, check)
    if not args:
        return context
    with context as caught:
        args[0](*args[1:], **kwargs)
    return caught


# ── Warnings ─────────────────────────────────────────────────────────────────────────────────────


class WarningsRecorder:
    """Records warnings. It behaves like a list of them, and `pop` removes the first one of a category."""

    def __init__(self):
        self._context, self.list = None, []

    def __enter__(self):
        self._context = warnings.catch_warnings(record=True)
        self.list = self._context.__enter__()
        warnings.simplefilter('always')
        return self

    def __exit__(self, *why):
        self._context.__exit__(*why)

    def __getitem__(self, index):
        return self.list[index]

    def __iter__(self):
        return iter(self.list)

    def __len__(self):
        return len(self.list)

    def pop(self, cls=Warning):
        for index, one in enumerate(self.list):
            if issubclass(one.category, cls):
                return self.list.pop(index)
        raise AssertionError('%r not found in warning list' % (cls,))

    def clear(self):
        self.list[:] = []


class _Warns(WarningsRecorder):
    def __init__(self, expected, match):
        super().__init__()
        self.expected, self.pattern = expected, match

    def __exit__(self, kind, value, traceback):
        super().__exit__(kind, value, traceback)
        if kind is not None:
            return
        fitting = [one for one in self.list if issubclass(one.category, self.expected)]
        if not fitting:
            raise Failed('DID NOT WARN. No warnings of type %s were emitted.' % _names(self.expected))
        if self.pattern is not None and not any(re.search(self.pattern, str(one.message)) for one in fitting):
            raise Failed('DID NOT WARN. No warning matches %r.' % _shown(self.pattern))


def warns(expected_warning=Warning, *args, match=None, **kwargs):
    context = _Warns(expected_warning, match)
    if not args:
        return context
    with context:
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, **kwargs):
    kinds = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
    return warns(kinds, *args, **kwargs)


# ── Numbers that are nearly equal ────────────────────────────────────────────────────────────────

_PLAIN = (int, float, complex)


def plain(value):
    """Returns the value to compare. If tests run in the answer's process, this function is replaced by one that
    converts the answer's objects."""
    return value


class approx:
    __hash__ = None
    __array_priority__ = 100

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        for given in (rel, abs):
            if given is not None and (given < 0 or given != given):
                raise ValueError('tolerance must not be negative or NaN: %s' % given)
        if isinstance(expected, (set, frozenset)):
            raise TypeError('pytest.approx() does not support sets: %r' % (expected,))
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual):
        return self._near(plain(actual), self.expected)

    def __repr__(self):
        return 'approx(%r)' % (self.expected,)

    def __bool__(self):
        raise AssertionError('approx() is not supported in a boolean context.')

    def _near(self, actual, expected):
        if isinstance(expected, dict):
            return (
                isinstance(actual, dict)
                and actual.keys() == expected.keys()
                and all(self._near(actual[key], one) for key, one in expected.items())
            )
        if isinstance(expected, collections.abc.Sequence) and not isinstance(expected, (str, bytes)):
            return (
                isinstance(actual, (list, tuple, collections.abc.Sequence))
                and not isinstance(actual, (str, bytes))
                and len(actual) == len(expected)
                and all(map(self._near, actual, expected))
            )
        if actual is None or expected is None or isinstance(expected, (bool, str, bytes)):
            return actual == expected
        if type(expected).__name__ == 'timedelta' or type(expected).__name__ == 'datetime':
            return type(actual) is type(expected) and self.abs is not None and abs(actual - expected) <= self.abs
        if not isinstance(actual, _PLAIN) and type(actual).__name__ not in ('Decimal', 'Fraction'):
            return False
        if actual == expected:
            return True
        try:
            if math.isnan(expected) or math.isnan(actual):
                return self.nan_ok and math.isnan(expected) and math.isnan(actual)
            if math.isinf(expected) or math.isinf(actual):
                return False
        except TypeError:
            pass
        kind = type(expected) if type(expected).__name__ in ('Decimal', 'Fraction') else float
        least = kind('1e-12') if self.abs is None else self.abs
        part = kind('1e-6') if self.rel is None else self.rel
        wide = least if self.rel is None and self.abs is not None else max(part * abs(expected), least)
        return abs(actual - expected) <= wide
