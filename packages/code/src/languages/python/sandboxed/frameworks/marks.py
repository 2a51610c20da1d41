"""pytest's marks, and the tables of `parametrize`."""
import enum
import inspect
import re
import types


class Skipped(Exception):
    """Raised if the test skips itself. The test is then not counted."""


class Failed(AssertionError):
    pass


class Unsupported(Exception):
    """Raised if the tests use a feature that is not implemented. The message names the feature, and the host
    searches for its wording."""

    def __init__(self, what):
        super().__init__('the tests use %s, which Assay does not have' % what)


class Mark:
    """A mark, which is also the decorator that applies the mark to a test."""

    def __init__(self, name, args=(), kwargs=None):
        self.name, self.args, self.kwargs = name, args, kwargs or {}

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            args[0]._assay_marks = [*vars(args[0]).get('_assay_marks', ()), self]
            return args[0]
        return self.with_args(*args, **kwargs)

    def with_args(self, *args, **kwargs):
        return Mark(self.name, (*self.args, *args), {**self.kwargs, **kwargs})

    @property
    def mark(self):
        return self

    def __repr__(self):
        return 'mark %s' % self.name


class MarkNames:
    """The object `pytest.mark`. An unknown mark has no effect."""

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return Mark(name)


def marks_on(thing):
    """Returns the marks directly on a test function, class or module, without inherited ones."""
    space = thing if type(thing) is dict else vars(thing) if hasattr(thing, '__dict__') else {}
    more = space.get('pytestmark', ())
    found = [*space.get('_assay_marks', ()), *(more if isinstance(more, (list, tuple)) else [more])]
    return [one for one in found if isinstance(one, Mark)]


def marks_of(function, kind, space):
    """Returns all marks that apply to a test, the nearest first."""
    above = [one for base in (kind.__mro__ if kind is not None else ()) for one in marks_on(base)]
    return [*marks_on(function), *above, *marks_on(space)]


# ── Skips and expected failures ──────────────────────────────────────────────────────────────────


def _holds(condition, space):
    if not isinstance(condition, str):
        return bool(condition)
    import os
    import platform
    import sys

    return bool(eval(condition, {'os': os, 'sys': sys, 'platform': platform, **space}))


def why_skipped(marks, space):
    for one in marks:
        if one.name == 'skip':
            return str(one.kwargs.get('reason') or (one.args and one.args[0]) or 'skipped')
        if one.name == 'skipif':
            conditions = one.args or (one.kwargs.get('condition'),)
            if any(_holds(condition, space) for condition in conditions):
                return str(one.kwargs.get('reason') or 'skipped')
        if one.name == 'xfail' and one.kwargs.get('run') is False and _expects_failure(one, space):
            return 'expected to fail, and not run'
    return None


def _expects_failure(mark, space):
    conditions = mark.args or ((mark.kwargs['condition'],) if 'condition' in mark.kwargs else ())
    return not conditions or any(_holds(condition, space) for condition in conditions)


def run_marked(run, marks, space):
    """Runs a test as its marks require. A test that is allowed to fail (`xfail` without `strict`) shows nothing
    about the answer, so it is not counted."""
    why = why_skipped(marks, space)
    if why is not None:
        raise Skipped(why)
    fails = next((one for one in marks if one.name == 'xfail' and _expects_failure(one, space)), None)
    if fails is None:
        return run()
    strict, kinds = fails.kwargs.get('strict', False), fails.kwargs.get('raises')
    try:
        run()
    except (Skipped, Unsupported):
        raise
    except Exception as error:
        if kinds is not None and not isinstance(error, kinds):
            raise
        if not strict:
            raise Skipped('it may fail (xfail), and does') from None
    else:
        if strict:
            raise Failed('it was expected to fail and did not')
        raise Skipped('it may fail (xfail), and does not')


# ── Parameters ───────────────────────────────────────────────────────────────────────────────────


class Param:
    """A row of `parametrize` that is written as `pytest.param(…)`."""

    def __init__(self, *values, id=None, marks=()):
        self.values, self.id = values, id
        self.marks = list(marks) if isinstance(marks, (list, tuple)) else [marks]


class Row:
    """One combination of parameters. `given`: arguments of the test. `indirect`: parameters of fixtures."""

    def __init__(self, given, indirect, label, marks):
        self.given, self.indirect, self.label, self.marks = given, indirect, label, marks


def rows_of(mark):
    """Returns the rows of a `parametrize` mark."""
    return _rows(*mark.args, **mark.kwargs)


def _rows(argnames, argvalues, indirect=False, ids=None, scope=None):
    names = [one.strip() for one in argnames.split(',') if one.strip()] if isinstance(argnames, str) else list(argnames)
    by_fixture = names if indirect is True else [] if indirect is False else list(indirect)
    labels = None if ids is None or callable(ids) else list(ids)
    made = []
    for index, one in enumerate(argvalues):
        values = one.values if isinstance(one, Param) else (one,) if len(names) == 1 else tuple(one)
        if len(values) != len(names):
            raise ValueError('parametrize: %d names and %d values' % (len(names), len(values)))
        pairs = dict(zip(names, values))
        label = one.id if isinstance(one, Param) else None
        if label is None and labels is not None:
            label = labels[index]
        if label is None:
            label = '-'.join(id_of(name, value, index, ids) for name, value in pairs.items())
        made.append(Row(
            {name: value for name, value in pairs.items() if name not in by_fixture},
            {name: (index, value) for name, value in pairs.items() if name in by_fixture},
            _text(label), one.marks if isinstance(one, Param) else [],
        ))
    if not made:
        made = [Row({}, {}, 'NOTSET', [Mark('skip', (), {'reason': 'got empty parameter set'})])]
    return _distinct(made)


def fixture_rows(fixture):
    """Returns one row for each parameter of a fixture."""
    labels = None if fixture.ids is None or callable(fixture.ids) else list(fixture.ids)
    made = []
    for index, one in enumerate(fixture.params):
        value = one.values[0] if isinstance(one, Param) else one
        label = one.id if isinstance(one, Param) else labels and labels[index]
        if label is None or label is False:
            label = id_of(fixture.name, value, index, fixture.ids)
        made.append(Row({}, {fixture.name: (index, value)}, _text(label), one.marks if isinstance(one, Param) else []))
    return _distinct(made)


def _distinct(rows):
    counts = {}
    for row in rows:
        counts[row.label] = counts.get(row.label, 0) + 1
    seen = {}
    for row in rows:
        if counts[row.label] > 1:
            label = row.label
            seen[label] = seen.get(label, -1) + 1
            row.label = '%s%d' % (label, seen[label])
    return rows


def _text(label):
    return label if type(label) is str else str(label)


def id_of(name, value, index, ids=None):
    """Returns pytest's name for a value. Only values of exact built-in types are named, because an object of the
    solution must not choose names of tests."""
    if callable(ids):
        found = ids(value)
        if found is not None:
            return _text(found)
    kind = type(value)
    if kind is str:
        return value.encode('unicode_escape').decode('ascii')
    if value is None or kind in (bool, int, float, complex):
        return str(value)
    if kind is bytes:
        return value.decode('ascii', 'backslashreplace')
    if kind is re.Pattern:
        return str(value.pattern)
    if isinstance(kind, enum.EnumMeta):
        return str(value)
    if kind in (type, types.FunctionType, types.BuiltinFunctionType):
        return value.__name__
    return '%s%d' % (name, index)
