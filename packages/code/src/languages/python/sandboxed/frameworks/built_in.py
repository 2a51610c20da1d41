"""pytest's own fixtures."""
import io
import sys

from _assay import failure
from _assay.expectations import WarningsRecorder
from _assay.log_capture import Capture
from _assay.marks import Mark, Skipped, Unsupported

#: Makes a temporary folder for a test. It is set only for `in-process` tests, in which tests and solution share a
#: folder.
folder = None


def make(name, run):
    maker = FIXTURES.get(name)
    if maker is None:
        raise Unsupported('the fixture %s' % name)
    return maker(run)


class _Node:
    def __init__(self, run):
        self._run, self.own_markers = run, run.marks
        self.nodeid, self.cls, self.function = 'tests.py::' + run.name.replace('.', '::', 1), run.kind, run.function
        # The name of the test without its class, but with its parameters.
        self.name = run.function.__name__ + ''.join(run.name.partition('[')[1:])
        self.originalname, self.obj, self.keywords = run.function.__name__, run.function, {}
        self.keywords.update({one.name: one for one in run.marks})

    def get_closest_marker(self, name, default=None):
        return next(self.iter_markers(name), default)

    def iter_markers(self, name=None):
        return (one for one in self._run.marks if name is None or one.name == name)

    def add_marker(self, mark):
        self._run.marks.insert(0, mark if isinstance(mark, Mark) else Mark(mark))

    def __getattr__(self, name):
        raise AttributeError(name) if name.startswith('_') else Unsupported('request.node.%s' % name)


class Request:
    """The fixture `request`. `held`: the value holder of the fixture that requested it, or None if a test did."""

    def __init__(self, run, fixture, held):
        self._run, self._held, self._fixture = run, held, fixture
        self.node, self.cls, self.function, self.instance = _Node(run), run.kind, run.function, run.this
        self.fixturename, self.scope = fixture and fixture.name, fixture.scope if fixture else 'function'
        self.fixturenames = [*run.plan.wanted]
        self.keywords, self.module = self.node.keywords, sys.modules.get('__main__')
        if fixture is not None and fixture.name in run.indirect:
            self.param = run.indirect[fixture.name][1]

    def addfinalizer(self, end):
        (self._run.ends if self._held is None else self._held.ends).append(end)

    def getfixturevalue(self, name):
        return self._run.value(name, self._held, self._fixture if self._fixture and name == self._fixture.name else None)

    def applymarker(self, mark):
        self.node.add_marker(mark)

    def __getattr__(self, name):
        raise AttributeError(name) if name == 'param' or name.startswith('_') else Unsupported('request.%s' % name)


# ── Captured output and logs ─────────────────────────────────────────────────────────────────────


class _Captured(tuple):
    out, err = property(lambda self: self[0]), property(lambda self: self[1])


class _Capture:
    def __init__(self, run):
        self._old = sys.stdout, sys.stderr
        self._begin()
        run.ends.append(self._end)

    def _begin(self):
        self._new = sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    def _end(self):
        sys.stdout, sys.stderr = self._old

    def readouterr(self):
        out = _Captured(one.getvalue() for one in self._new)
        for one in self._new:
            one.seek(0)
            one.truncate()
        return out

    def disabled(self):
        import contextlib

        @contextlib.contextmanager
        def outside():
            self._end()
            try:
                yield
            finally:
                sys.stdout, sys.stderr = self._new

        return outside()


def _caplog(run):
    return Capture(run.ends)


def _recorded_warnings(run):
    recorder = WarningsRecorder()
    recorder.__enter__()
    run.ends.append(lambda: recorder.__exit__(None, None, None))
    return recorder


# ── monkeypatch: changes that are undone ─────────────────────────────────────────────────────────

_MISSING = object()


class MonkeyPatch:
    def __init__(self):
        self._undo = []

    @classmethod
    def context(cls):
        import contextlib

        @contextlib.contextmanager
        def inside():
            made = cls()
            try:
                yield made
            finally:
                made.undo()

        return inside()

    def setattr(self, target, name, value=_MISSING, raising=True):
        if isinstance(target, str):
            if value is not _MISSING and not isinstance(value, bool):
                raise TypeError('monkeypatch.setattr(target, value): too many arguments')
            target, name, value = (*_resolved(target), name)
        elif value is _MISSING:
            raise TypeError('monkeypatch.setattr(target, name, value): the value is missing')
        self._keep(target, name, raising)
        setattr(target, name, value)

    def delattr(self, target, name=_MISSING, raising=True):
        if name is _MISSING:
            target, name = _resolved(target)
        if self._keep(target, name, raising):
            delattr(target, name)

    def _keep(self, target, name, raising):
        old = getattr(target, name, _MISSING)
        if old is _MISSING and raising:
            raise AttributeError('%r has no attribute %r' % (target, name))
        # The descriptor in the class is stored, not the value that it returns, so that a static method stays one when
        # it is restored.
        if type(target) is type:
            old = vars(target).get(name, _MISSING)
        self._undo.append(lambda: _take_away(target, name) if old is _MISSING else setattr(target, name, old))
        return getattr(target, name, _MISSING) is not _MISSING

    def setitem(self, target, key, value):
        old = target.get(key, _MISSING)
        self._undo.append(lambda: target.pop(key, None) if old is _MISSING else target.__setitem__(key, old))
        target[key] = value

    def delitem(self, target, key, raising=True):
        if key not in target:
            if raising:
                raise KeyError(key)
            return
        old = target[key]
        self._undo.append(lambda: target.__setitem__(key, old))
        del target[key]

    def setenv(self, name, value, prepend=None):
        import os

        value = str(value)
        if prepend and name in os.environ:
            value += prepend + os.environ[name]
        self.setitem(os.environ, name, value)

    def delenv(self, name, raising=True):
        import os

        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        old = list(sys.path)
        self._undo.append(lambda: sys.path.__setitem__(slice(None), old))
        sys.path.insert(0, str(path))

    def chdir(self, path):
        import os

        old = os.getcwd()
        self._undo.append(lambda: os.chdir(old))
        os.chdir(path)

    def undo(self):
        while self._undo:
            self._undo.pop()()


def _take_away(target, name):
    if hasattr(target, name):
        delattr(target, name)


def _resolved(path):
    """Returns the object and the attribute name that a dotted path refers to."""
    import importlib

    names = path.split('.')
    if len(names) < 2:
        raise TypeError('must be absolute import path string, not %r' % path)
    found, used = importlib.import_module(names[0]), names[0]
    for name in names[1:-1]:
        used += '.' + name
        try:
            found = getattr(found, name)
        except AttributeError:
            found = importlib.import_module(used)
    return found, names[-1]


def _monkeypatch(run):
    made = MonkeyPatch()
    run.ends.append(made.undo)
    return made


# ── Folders and subtests ─────────────────────────────────────────────────────────────────────────


def _folder(run):
    if folder is None:
        raise Unsupported('the fixture tmp_path with integrity "isolated"')
    return folder()


class _Folders:
    def __init__(self, run):
        self._base = _folder(run)

    def getbasetemp(self):
        return self._base

    def mktemp(self, name, numbered=True):
        number = 0
        while True:
            path = self._base / ('%s%d' % (name, number) if numbered else name)
            if not numbered or not path.exists():
                path.mkdir()
                return path
            number += 1


class _SubTests:
    """The fixture `subtests` of pytest-subtests. If a subtest fails, the test continues and then fails at its end."""

    def __init__(self, run):
        self._failed = []
        run.ends.append(self._report)

    def test(self, msg=None, **named):
        import contextlib

        @contextlib.contextmanager
        def part():
            try:
                yield self
            except Exception as error:
                if isinstance(error, Skipped) and not failure.is_answers(error):
                    return
                parts = ([] if msg is None else ['[%s]' % msg]) + [
                    '(%s)' % ', '.join('%s=%r' % pair for pair in named.items())] * bool(named)
                BaseException.__setattr__(error, '_assay_sub', ' '.join(parts) or '(<subtest>)')
                self._failed.append(error)

        return part()

    def _report(self):
        if self._failed:
            raise self._failed[0]


FIXTURES = {
    'request': lambda run: Request(run, None, None), 'capsys': _Capture, 'capfd': _Capture, 'caplog': _caplog,
    'recwarn': _recorded_warnings, 'monkeypatch': _monkeypatch, 'tmp_path': _folder, 'tmp_path_factory': _Folders,
    'subtests': _SubTests,
}
#: Fixtures that give files to both tests and solution. They work only if both are in one process.
SHARING = ('tmp_path', 'tmp_path_factory')
