"""pytest's fixtures: finds those that a test needs, creates and keeps their values, and runs their teardown."""
import inspect
import itertools
import sys
import types

from _assay import built_in, failure
from _assay.marks import Failed, Skipped, fixture_rows, marks_of, rows_of, run_marked
from _assay.pytest_stub import Fixture

_SCOPES = ('session', 'package', 'module', 'class', 'function')


class Test:
    """A test to run. `base`: its name in the source, without parameters. `kind`: its class. `wide`: parameters of
    fixtures that several tests share."""

    __slots__ = ('name', 'base', 'run', 'kind', 'wide')

    def __init__(self, name, run, base=None, kind=None, wide=()):
        self.name, self.run, self.base, self.kind, self.wide = name, run, base or name, kind, wide


class _Held:
    """The value of a fixture, or the exception that it raised, with its teardown functions."""

    def __init__(self, key):
        self.key, self.value, self.error, self.ends, self.live = key, None, None, [], True

    def finish(self):
        self.live = False
        run_all(self.ends)


class Context:
    """The fixtures of the test module and of its `conftest` files, and the fixture values that several tests
    share."""

    def __init__(self, space, above=()):
        """`above`: the variables of the `conftest` files, the outermost first."""
        self.space, self.kept, self.loop, self.class_hooks = space, {}, None, {}
        #: Teardown functions to run after the last test of a class or, under None, after all tests.
        self.ends = {}
        #: One dictionary of fixtures by name for each file: first the test module, then the `conftest` files from the
        #: nearest to the outermost.
        self.levels = [_fixtures_in(one) for one in (space, *reversed(above))]
        hooks = [_module_hook(space, *names) for names in (
            ('setup_module', 'teardown_module'), ('setUpModule', 'tearDownModule'))]
        function = _hook(space.get('setup_function'), space.get('teardown_function'), lambda run: run.function)
        #: Setup and teardown of the module. They apply to every test in it.
        self.module_hooks = [Fixture(one, 'module', autouse=True) for one in hooks if one is not None]
        #: Setup and teardown of functions. They do not apply to tests in classes.
        self.function_hooks = [] if function is None else [Fixture(function, autouse=True)]

    def later(self, kind, end):
        self.ends.setdefault(kind, []).append(end)

    def closing(self, tests, kind):
        """Returns the tests, with the shared teardown added to the last test. If the teardown fails, the last test
        fails."""
        if tests:
            last = tests[-1]
            run = last.run
            last.run = lambda: self._close_after(run, kind)
        return tests

    def _close_after(self, run, kind):
        try:
            run()
        finally:
            try:
                run_all(self.ends.pop(kind, []))
            finally:
                if kind is None and self.loop is not None:
                    self.loop.close()

    def arranged(self, tests):
        """Returns the tests in the order in which they run, with the teardown of shared fixtures added."""
        order, waiting = [], list(tests)
        while waiting:
            first = waiting.pop(0)
            order.append(first)
            if first.wide:
                # Like pytest, runs the tests with the same parameter of a shared fixture one after another.
                order += [one for one in waiting if one.wide == first.wide]
                waiting = [one for one in waiting if one.wide != first.wide]
        for kind in dict.fromkeys(one.kind for one in order if one.kind is not None):
            self.closing([one for one in order if one.kind is kind], kind)
        return self.closing(order, None)

    def finish(self, coroutine):
        """Runs a coroutine to its end."""
        import asyncio

        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(coroutine)

    def lookup(self, name, kind, after=None):
        """Returns the nearest fixture of that name. `after`: a fixture of the same name that overrides the wanted
        one."""
        own = [vars(base).get(name) for base in (kind.__mro__ if kind is not None else ())]
        found = [one for one in own if isinstance(one, Fixture)]
        if kind is not None:
            found += [one for base in kind.__mro__ for one in vars(base).values()
                      if isinstance(one, Fixture) and one.name == name and one not in found]
        found += [level[name] for level in self.levels if name in level]
        if after in found:
            found = found[found.index(after) + 1:]
        return found[0] if found else None

    def automatic(self, kind):
        """Returns the fixtures with `autouse` that apply to every test of the class, or of the module."""
        found = [one for level in reversed(self.levels) for one in level.values() if one.autouse]
        if kind is None:
            return [*self.module_hooks, *found, *self.function_hooks]
        own = {one.name: one for base in reversed(kind.__mro__) for one in vars(base).values()
               if isinstance(one, Fixture) and one.autouse}
        if kind not in self.class_hooks:
            self.class_hooks[kind] = _class_hooks(kind)
        return [*self.module_hooks, *found, *self.class_hooks[kind], *own.values()]


def _fixtures_in(space):
    return {one.name: one for one in list(space.values()) if isinstance(one, Fixture)}


def run_all(ends):
    """Runs all teardown functions, last one first, even if some of them fail."""
    if ends:
        try:
            ends.pop()()
        finally:
            run_all(ends)


# ── Setup and teardown functions of other frameworks ─────────────────────────────────────────────


def _hook(before, after, argument):
    """Returns a fixture function that calls a setup and a teardown function, or None if neither exists."""
    before, after = (one if callable(one) and not isinstance(one, Fixture) else None for one in (before, after))
    if before is None and after is None:
        return None

    def hook(request):
        if before is not None:
            _call(before, argument(request._run))
        yield
        if after is not None:
            _call(after, argument(request._run))

    return hook


def _call(hook, argument):
    hook(*([argument] if parameters_of(hook) else []))


def _module_hook(space, before, after):
    return _hook(space.get(before), space.get(after), lambda run: None)


def _class_hooks(kind):
    def bound(name):
        """Returns the hook of that name. It may be a class method, or a function that takes the class as its
        argument."""
        found = inspect.getattr_static(kind, name, None)
        return types.MethodType(found, kind) if inspect.isfunction(found) else getattr(kind, name, None)

    def later(*names):
        name = next((one for one in names if inspect.isfunction(inspect.getattr_static(kind, one, None))), None)
        return None if name is None else lambda run: _call(getattr(run.this, name), run.function)

    found = []
    whole = _hook(bound('setup_class'), bound('teardown_class'), lambda run: None)
    if whole is not None:
        found.append(Fixture(whole, 'class', autouse=True))
    before, after = later('setup_method', 'setup'), later('teardown_method', 'teardown')
    if before is not None or after is not None:
        found.append(Fixture(_hook(before, after, lambda run: run), autouse=True))
    return found


# ── Tests ────────────────────────────────────────────────────────────────────────────────────────


def expand(name, function, context, kind):
    """Returns one test, or one for each row of its parameters."""
    marks = marks_of(function, kind, context.space)
    plan = Plan(function, kind, marks, context)
    tables = [rows_of(one) for one in marks if one.name == 'parametrize']
    direct = {key for rows in tables for row in rows for key in (*row.given, *row.indirect)}
    tables = [fixture_rows(one) for one in plan.fixtures if one.params is not None and one.name not in direct] + tables
    shared = {one.name for one in plan.fixtures if one.scope in ('session', 'package', 'module')}
    made = []
    for rows in itertools.product(*tables):
        given = {key: value for row in rows for key, value in row.given.items()}
        indirect = {key: value for row in rows for key, value in row.indirect.items()}
        all_marks = [*(one for row in rows for one in row.marks), *marks]
        wide = tuple(sorted((key, value[0]) for key, value in indirect.items() if key in shared))
        full = '%s[%s]' % (name, '-'.join(row.label for row in rows)) if rows else name
        run = Run(full, plan, context, given, indirect, all_marks)
        made.append(Test(full, run.go, name, kind, wide))
    return made


class Plan:
    """The fixtures that a test function needs."""

    def __init__(self, function, kind, marks, context):
        self.function, self.kind = function, kind
        self.wanted = fixture_names(function, kind)
        self.uses = [name for one in marks if one.name == 'usefixtures' for name in one.args]
        self.auto = context.automatic(kind)
        found = dict.fromkeys(self.auto)
        waiting = [(name, None) for one in self.auto for name in parameters_of(one.function)]
        waiting += [(name, None) for name in (*self.uses, *self.wanted)]
        while waiting:
            name, after = waiting.pop(0)
            fixture = context.lookup(name, kind, after)
            if fixture is None or fixture in found:
                continue
            found[fixture] = None
            waiting += [(one, fixture if one == fixture.name else None) for one in parameters_of(fixture.function)]
        #: Fixtures with a wider scope are created first.
        self.fixtures = sorted(found, key=lambda one: _SCOPES.index(one.scope))


def fixture_names(function, kind):
    """Returns the names of the arguments that fixtures or parameters must provide."""
    names = parameters_of(function)[(kind is not None) + _mocked(function):]
    return [name for name in names if not _has_default(function, name)]


def _mocked(function):
    """Returns the number of arguments that `mock.patch` decorators provide."""
    mock = sys.modules.get('unittest.mock')
    return sum(not one.attribute_name and one.new is mock.DEFAULT for one in getattr(function, 'patchings', ()))


#: Parameter names by code object. Tests are loaded again for every solution but compiled only once, so the code
#: object stays the same.
_known = {}


def parameters_of(function):
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
    return parameter.default is not parameter.empty or parameter.kind in (
        parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


class Run:
    """One run of a test with its fixtures. If `body` is set, it is called instead of the test function."""

    def __init__(self, name, plan, context, given, indirect, marks):
        self.name, self.plan, self.context, self.marks = name, plan, context, marks
        self.function, self.kind, self.given, self.indirect = plan.function, plan.kind, given, indirect
        self.this, self.body, self.values, self.ends, self.node = None, None, {}, [], None

    def go(self):
        return run_marked(self._go, self.marks, self.context.space)

    def _go(self):
        self.values, self.ends = {}, []
        if self.body is None:
            self.this = self.kind() if self.kind is not None else None
        try:
            for fixture in self.plan.fixtures:
                if fixture.name not in self.given:
                    self._held(fixture)
            for name in self.plan.uses:
                self.value(name)
            args = {name: self.value(name) for name in self.plan.wanted}
            if self.body is not None:
                return self.body()
            result = self.function(*([self.this] if self.this is not None else []), **args)
            if inspect.iscoroutine(result):
                self.context.finish(result)
        except _skip_test() as skip:
            raise (AssertionError('the code raised SkipTest') if failure.is_answers(skip) else Skipped(str(skip)))
        finally:
            run_all(self.ends)

    def value(self, name, above=None, after=None):
        """Returns the value of a fixture or parameter. `above`: the holder of the fixture that needs the value."""
        if name in self.given:
            return self.given[name]
        if name in self.values:
            return self.values[name]
        fixture = self.context.lookup(name, self.kind, after)
        if fixture is None:
            self.values[name] = value = built_in.make(name, self)
            return value
        held = self._held(fixture)
        if above is not None:
            # The fixture `above` uses this value, so its teardown must run before the teardown of this one.
            held.ends.append(above.finish)
        return held.value

    def _held(self, fixture):
        wide = fixture.scope not in ('function',) and not (fixture.scope == 'class' and self.kind is None)
        owner = self.kind if fixture.scope == 'class' else None
        place = (self.context.kept, (fixture, owner)) if wide else (self.values, fixture)
        key = self.indirect.get(fixture.name, (None,))[0]
        held = place[0].get(place[1])
        if held is not None and (held.key != key or not held.live):
            held.finish()
            held = None
        if held is None:
            held = place[0][place[1]] = _Held(key)
            self.context.later(owner, held.finish) if wide else self.ends.append(held.finish)
            try:
                held.value = self._made(fixture, held)
            except Exception as error:
                held.error = error
        if held.error is not None:
            raise held.error
        return held

    def _made(self, fixture, held):
        names = parameters_of(fixture.function)
        before = [self.this if self.this is not None else self.kind] if names[:1] in (['self'], ['cls']) else []
        args = {}
        for name in names[len(before):]:
            if name == 'request':
                args[name] = built_in.Request(self, fixture, held)
            else:
                args[name] = self.value(name, held, fixture if name == fixture.name else None)
        made = fixture.function(*before, **args)
        if inspect.iscoroutine(made):
            return self.context.finish(made)
        if inspect.isasyncgenfunction(fixture.function):
            value = self.context.finish(made.__anext__())
            held.ends.append(lambda: self._end_later(made))
            return value
        if not inspect.isgeneratorfunction(fixture.function):
            return made
        try:
            value = next(made)
        except StopIteration:
            raise ValueError('fixture %r did not yield a value' % fixture.name) from None
        held.ends.append(lambda: _end(made, fixture))
        return value

    def _end_later(self, generator):
        try:
            self.context.finish(generator.__anext__())
        except StopAsyncIteration:
            pass


def _end(generator, fixture):
    if next(generator, generator) is not generator:
        raise Failed('fixture %r has more than one yield' % fixture.name)


def _skip_test():
    import unittest

    return unittest.SkipTest
