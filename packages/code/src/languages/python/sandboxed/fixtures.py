"""pytest's fixtures and parameters, as far as tests of functions and classes use them."""
import inspect
import io
import itertools
import sys
import types

from _assay import pytest_stub

#: Set with the integrity level `in-process`, in which tests and solution share a folder.
folder = None


class Test:
    """`base`: the name in the source, without parameters."""

    __slots__ = ('name', 'base', 'run')

    def __init__(self, name, run, base=None):
        self.name, self.run, self.base = name, run, base or name


class Context:
    """Fixtures by name, and the values of those with a wider scope than one test."""

    def __init__(self, space):
        self.space, self.kept = space, {}
        #: Teardown functions to run after the last test of a class or, under None, after all tests.
        self.ends = {}
        self.found = {
            value.name: value for value in list(space.values()) if isinstance(value, pytest_stub.Fixture)
        }
        for name in ('setup_module', 'setUpModule'):
            if inspect.isfunction(space.get(name)):
                self._hook(space[name])
        for name in ('teardown_module', 'tearDownModule'):
            if inspect.isfunction(space.get(name)):
                self.later(None, lambda hook=space[name]: self._hook(hook))

    def later(self, kind, end):
        self.ends.setdefault(kind, []).append(end)

    def closing(self, tests, kind):
        """Returns the tests, with the shared teardown added to the last one. If the teardown fails, that test
        fails."""
        if tests:
            last = tests[-1]
            tests[-1] = Test(last.name, lambda: self._close_after(last, kind), last.base)
        return tests

    def _close_after(self, test, kind):
        try:
            test.run()
        finally:
            run_all(self.ends.pop(kind, []))

    def _hook(self, hook):
        hook(*([None] if _parameters(hook) else []))


def run_all(ends):
    """Runs all teardown functions, last one first, even if some of them fail."""
    if ends:
        try:
            ends.pop()()
        finally:
            run_all(ends)


def expand(name, function, context, kind):
    """Returns one test, or one for each row of its parameters."""
    marks = pytest_stub.marks_of(function) or pytest_stub.Marks()
    above = pytest_stub.marks_of(kind) if kind is not None else None
    tables = [*marks.parameters, *(above.parameters if above else [])]
    wanted = fixture_names(function, kind)
    for fixture in _closure(wanted, context, kind):
        if fixture.params is not None:
            rows = [({'fixture ' + fixture.name: one}, pytest_stub._id(fixture.name, one, index), pytest_stub.Marks())
                    for index, one in enumerate(fixture.params)]
            tables.append(rows)
    made = []
    for rows in itertools.product(*tables):
        given = {key: value for values, _, _ in rows for key, value in values.items()}
        label = '-'.join(text for _, text, _ in rows)
        skip = next((one.skip for one in (marks, above, *(row[2] for row in rows)) if one and one.skip), None)
        fails = next((one.fails for one in (marks, above, *(row[2] for row in rows)) if one and one.fails), None)
        uses = [*marks.uses, *(above.uses if above else [])]
        run = _runner(name, function, context, kind, given, skip, fails, uses)
        made.append(Test('%s[%s]' % (name, label) if rows else name, run, name))
    return made


def _finish(coroutine):
    import asyncio

    return asyncio.run(coroutine)


def fixture_names(function, kind):
    names = _parameters(function)
    return names[1:] if kind is not None else names


#: By code object: tests are loaded for every solution, but compiled once.
_known = {}


def _parameters(function):
    """Returns the names of the function's parameters."""
    if type(function) is not types.FunctionType or not _ODD.isdisjoint(function.__dict__):
        return list(inspect.signature(function).parameters)
    code = function.__code__
    if code not in _known:
        _known[code] = list(inspect.signature(function).parameters)
    return _known[code]


_ODD = frozenset(('__wrapped__', '__signature__', '__text_signature__'))


def _has_default(function, name):
    parameter = inspect.signature(function).parameters[name]
    return parameter.default is not parameter.empty


def _lookup(name, context, kind):
    own = inspect.getattr_static(kind, name, None) if kind is not None else None
    return own if isinstance(own, pytest_stub.Fixture) else context.found.get(name)


def _closure(names, context, kind, seen=None):
    seen = {} if seen is None else seen
    for name in names:
        fixture = _lookup(name, context, kind)
        if fixture is not None and name not in seen:
            seen[name] = fixture
            _closure(_parameters(fixture.function), context, kind, seen)
    return list(seen.values())


def _runner(name, function, context, kind, given, skip, fails, uses):
    def run():
        if skip is not None:
            raise pytest_stub.Skipped(skip)
        try:
            _Run(name, function, context, kind, given, uses).go()
        except pytest_stub.Skipped:
            raise
        except Exception as error:
            if fails is None or fails[0] is not None and not isinstance(error, fails[0]):
                raise
        else:
            if fails is not None and fails[1]:
                raise AssertionError('it was expected to fail and did not')

    return run


class _Run:
    """One test with its own fixtures."""

    def __init__(self, name, function, context, kind, given, uses):
        self.name, self.function, self.context, self.kind = name, function, context, kind
        self.given, self.uses, self.values, self.ends = given, uses, {}, []

    def go(self):
        this = self.kind() if self.kind is not None else None
        self.this = this
        try:
            self._set_up(this)
            auto = [one.name for one in self.context.found.values() if one.autouse]
            if self.kind is not None:
                auto += [
                    one.name for base in self.kind.__mro__ for one in vars(base).values()
                    if isinstance(one, pytest_stub.Fixture) and one.autouse
                ]
            for name in [*auto, *self.uses]:
                self._value(name)
            args = {}
            for name in fixture_names(self.function, self.kind):
                if name in self.given or not _has_default(self.function, name):
                    args[name] = self._value(name)
            result = self.function(*([this] if this is not None else []), **args)
            if inspect.iscoroutine(result):
                _finish(result)
        finally:
            run_all(self.ends)

    def _set_up(self, this):
        if this is None:
            for name in ('setup_function', 'teardown_function'):
                hook = self.context.space.get(name)
                if inspect.isfunction(hook):
                    call = lambda hook=hook: hook(*([self.function] if _parameters(hook) else []))
                    call() if name.startswith('setup') else self.ends.append(call)
            return
        if hasattr(this, 'setup_class') and self.kind not in self.context.kept:
            self.context.kept[self.kind] = True
            if hasattr(this, 'teardown_class'):
                self.context.later(self.kind, this.teardown_class)
            this.setup_class()
        if hasattr(this, 'teardown_method'):
            self.ends.append(lambda: self._hook(this.teardown_method))
        if hasattr(this, 'setup_method'):
            self._hook(this.setup_method)

    def _hook(self, hook):
        hook(*([self.function] if _parameters(hook) else []))

    def _value(self, name):
        if name in self.given:
            return self.given[name]
        if name in self.values:
            return self.values[name]
        fixture = _lookup(name, self.context, self.kind)
        if fixture is None:
            value = self._built_in(name)
        else:
            owner = self.kind if fixture.scope == 'class' else None
            key = (name, self.given.get('fixture ' + name, None) if fixture.params is None else id(fixture), owner)
            wide = fixture.scope != 'function' and fixture.params is None
            if wide and key in self.context.kept:
                value = self.context.kept[key]
            else:
                value = self._made(fixture, wide)
                if wide:
                    self.context.kept[key] = value
        self.values[name] = value
        return value

    def _made(self, fixture, wide):
        kind = self.kind if fixture.scope == 'class' else None
        later = (lambda end: self.context.later(kind, end)) if wide else self.ends.append
        parameters = _parameters(fixture.function)
        before = [self.this] if parameters[:1] == ['self'] else []
        args = {}
        for name in parameters[len(before):]:
            args[name] = self._request(fixture, later) if name == 'request' else self._value(name)
        made = fixture.function(*before, **args)
        if inspect.iscoroutine(made):
            return _finish(made)
        if not inspect.isgeneratorfunction(fixture.function):
            return made
        value = next(made)
        later(lambda: next(made, None))
        return value

    def _request(self, fixture, later):
        request = types.SimpleNamespace(
            node=types.SimpleNamespace(name=self.name), addfinalizer=later, cls=self.kind,
            function=self.function, getfixturevalue=self._value, fixturename=fixture and fixture.name,
        )
        if fixture is not None and fixture.params is not None:
            request.param = self.given['fixture ' + fixture.name]
        return request

    def _built_in(self, name):
        if name == 'request':
            return self._request(None, self.ends.append)
        if name == 'capsys':
            return _Capture(self.ends)
        if name == 'monkeypatch':
            return _Patch(self.ends)
        if name == 'tmp_path' and folder is not None:
            return folder()
        raise NotImplementedError('no fixture %r%s' % (
            name, ': tests and solution share no folder with integrity "isolated"' if name.startswith('tmp') else ''))


class _Capture:
    def __init__(self, ends):
        self._old = sys.stdout, sys.stderr
        self._begin()
        ends.append(self._end)

    def _begin(self):
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    def _end(self):
        sys.stdout, sys.stderr = self._old

    def readouterr(self):
        out = types.SimpleNamespace(out=sys.stdout.getvalue(), err=sys.stderr.getvalue())
        self._begin()
        return out


_MISSING = object()


class _Patch:
    def __init__(self, ends):
        self._undo = []
        ends.append(self.undo)

    def setattr(self, target, name, value=_MISSING, raising=True):
        if isinstance(target, str):
            raise NotImplementedError('monkeypatch.setattr with a path is not known to this pytest')
        old = getattr(target, name, _MISSING)
        if old is _MISSING and raising:
            raise AttributeError(name)
        self._undo.append(lambda: delattr(target, name) if old is _MISSING else setattr(target, name, old))
        setattr(target, name, value)

    def setitem(self, target, key, value):
        old = target.get(key, _MISSING)
        self._undo.append(lambda: target.pop(key, None) if old is _MISSING else target.__setitem__(key, old))
        target[key] = value

    def undo(self):
        while self._undo:
            self._undo.pop()()
