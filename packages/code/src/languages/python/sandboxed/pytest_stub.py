"""The tests' `pytest`: the commonly used parts, and a clear error for the rest.

The module is created when tests are loaded. Fixtures and parameters are stored as marks on functions; `collect.py`
applies them.
"""
import inspect
import math
import re
import types


class Skipped(Exception):
    """The test skipped itself, so it is not counted."""


class Failed(AssertionError):
    pass


class Marks:
    """The marks that decorators have put on a test or fixture."""

    def __init__(self):
        self.parameters, self.skip, self.fails, self.uses = [], None, None, []


def marks_of(thing, make=False):
    marks = getattr(thing, '__dict__', {}).get('_assay_marks')
    if marks is None and make:
        marks = Marks()
        thing._assay_marks = marks
    return marks


class Fixture:
    def __init__(self, function, scope='function', params=None, autouse=False, ids=None, name=None):
        self.function, self.scope, self.params, self.autouse = function, scope, params, autouse
        self.name = name or function.__name__

    def __call__(self, *args, **kwargs):
        raise Failed('fixture %r is called directly' % self.name)


def fixture(function=None, *, scope='function', params=None, autouse=False, ids=None, name=None):
    def made(function):
        return Fixture(function, scope, params, autouse, ids, name)

    return made if function is None else made(function)


class _Param:
    def __init__(self, *values, id=None, marks=()):
        self.values, self.id = values, id
        self.marks = marks if isinstance(marks, (list, tuple)) else (marks,)


class _Mark:
    def __getattr__(self, name):
        return _Free(name)

    def parametrize(self, argnames, argvalues, indirect=False, ids=None, scope=None):
        if indirect:
            raise NotImplementedError('parametrize(indirect=...) is not known to this pytest')
        names = [one.strip() for one in argnames.split(',')] if isinstance(argnames, str) else list(argnames)
        rows = []
        for index, one in enumerate(argvalues):
            values = one.values if isinstance(one, _Param) else (one,) if len(names) == 1 else tuple(one)
            if len(values) != len(names):
                raise ValueError('parametrize: %d names and %d values' % (len(names), len(values)))
            given = one.id if isinstance(one, _Param) else None
            if given is None and ids is not None:
                given = ids(values[0]) if callable(ids) else ids[index]
            text = given or '-'.join(_id(name, value, index) for name, value in zip(names, values))
            marks = Marks()
            for mark in one.marks if isinstance(one, _Param) else ():
                mark(marks)
            rows.append((dict(zip(names, values)), str(text), marks))
        return _put(lambda marks: marks.parameters.append(rows))

    def skip(self, *args, reason='', **rest):
        if args and callable(args[0]):
            return _put(lambda marks: setattr(marks, 'skip', 'skipped'))(args[0])
        return _put(lambda marks: setattr(marks, 'skip', reason or (args and args[0]) or 'skipped'))

    def skipif(self, condition, *, reason=''):
        if isinstance(condition, str):
            raise NotImplementedError('skipif with a condition in a string is not known to this pytest')
        return _put(lambda marks: condition and setattr(marks, 'skip', reason or 'skipped'))

    def xfail(self, *args, reason='', raises=None, strict=False, **rest):
        if args and callable(args[0]) and not isinstance(args[0], Marks):
            return _put(lambda marks: setattr(marks, 'fails', (None, False)))(args[0])
        condition = args[0] if args else True
        return _put(lambda marks: condition and setattr(marks, 'fails', (raises, strict)))

    def usefixtures(self, *names):
        return _put(lambda marks: marks.uses.extend(names))


class _Free:
    """A custom mark. It has no effect here."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            return args[0]
        return lambda thing: thing


def _put(change):
    def on(thing):
        change(thing if isinstance(thing, Marks) else marks_of(thing, make=True))
        return thing

    return on


def _id(name, value, index):
    if value is None or type(value) in (bool, int, float, str):
        return str(value)
    return value.__name__ if isinstance(value, (type, types.FunctionType)) else '%s%d' % (name, index)


# ── Expectations ─────────────────────────────────────────────────────────────────────────────────


class _Caught:
    value = type = tb = None

    def match(self, pattern):
        if not re.search(pattern, str(self.value)):
            raise AssertionError('%r does not match %r' % (str(self.value), pattern))
        return True

    def __str__(self):
        return '%s: %s' % (self.type.__name__, self.value)


class _Raises:
    def __init__(self, expected, match=None):
        self.expected, self.pattern, self.caught = expected, match, _Caught()

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
        return True


def _names(expected):
    return ' or '.join(one.__name__ for one in (expected if isinstance(expected, tuple) else (expected,)))


def raises(expected_exception, *args, match=None, **kwargs):
    context = _Raises(expected_exception, match)
    if not args:
        return context
    with context as caught:
        args[0](*args[1:], **kwargs)
    return caught


_PLAIN = (int, float, complex)


def plain(value):
    """Returns the value to compare. Replaced by a version that converts more if tests run in the answer's process."""
    return value


class approx:
    __hash__ = None
    __array_priority__ = 100

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual):
        return self._near(plain(actual), self.expected)

    def __repr__(self):
        return 'approx(%r)' % (self.expected,)

    def _near(self, actual, expected):
        if isinstance(expected, dict):
            return (
                isinstance(actual, dict)
                and actual.keys() == expected.keys()
                and all(self._near(actual[key], one) for key, one in expected.items())
            )
        if isinstance(expected, (list, tuple)):
            return (
                isinstance(actual, (list, tuple))
                and len(actual) == len(expected)
                and all(map(self._near, actual, expected))
            )
        if actual is None or expected is None or isinstance(expected, (bool, str, bytes)):
            return actual == expected
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


def _fail(reason='', pytrace=True, msg=None):
    raise Failed(reason or msg or 'failed')


def _skip(reason='', allow_module_level=False, msg=None):
    raise Skipped(reason or msg or 'skipped')


def _importorskip(name, minversion=None, reason=None):
    try:
        return __import__(name, fromlist=['x'])
    except ImportError:
        raise Skipped('no module %s' % name)


def make_module():
    module = types.ModuleType('pytest')
    module.__dict__.update(
        fixture=fixture, mark=_Mark(), param=_Param, raises=raises, approx=approx, fail=_fail, skip=_skip,
        importorskip=_importorskip, xfail=_fail, main=lambda *args, **kwargs: 0, FixtureRequest=object,
        MonkeyPatch=object, CaptureFixture=object,
    )

    def missing(name):
        if name.startswith('__'):
            raise AttributeError(name)
        raise NotImplementedError('pytest.%s is not known to this pytest' % name)

    module.__getattr__ = missing
    return module
