"""A replacement for the module `pytest`: the commonly used functions, and a clear error for the rest.

The module is created when tests are loaded. Decorators only store fixtures and marks on functions. `fixtures.py`
applies them.
"""
import types

from _assay import built_in, expectations
from _assay.marks import Failed, Mark, MarkNames, Param, Skipped, Unsupported


class Fixture:
    def __init__(self, function, scope='function', params=None, autouse=False, ids=None, name=None):
        self.function, self.autouse, self.ids = function, autouse, ids
        self.params = None if params is None else list(params)
        self.scope = scope(fixture_name=function.__name__, config=None) if callable(scope) else scope
        self.name = name or function.__name__
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args, **kwargs):
        raise Failed('fixture %r is called directly' % self.name)


def fixture(function=None, *, scope='function', params=None, autouse=False, ids=None, name=None, **rest):
    def made(function):
        return Fixture(function, scope, params, autouse, ids, name)

    return made if function is None else made(function)


def _fail(reason='', pytrace=True, msg=None):
    raise Failed(reason or msg or 'failed')


def _skip(reason='', allow_module_level=False, msg=None):
    raise Skipped(reason or msg or 'skipped')


def _xfail(reason=''):
    # The test declares that it is expected to fail, so it shows nothing about the answer.
    raise Skipped('it fails as expected (xfail): %s' % reason)


def _importorskip(name, minversion=None, reason=None, exc_type=None):
    import sys

    try:
        __import__(name)
        return sys.modules[name]
    except ImportError:
        raise Skipped(reason or 'no module %s' % name) from None


def _nothing(*args, **kwargs):
    return 0


#: Names that tests use in annotations only.
_TYPES = (
    'FixtureRequest', 'CaptureFixture', 'LogCaptureFixture', 'WarningsRecorder', 'ExceptionInfo',
    'TempPathFactory', 'Config', 'Item', 'Parser', 'Session', 'Metafunc', 'Function', 'Class', 'Module', 'Subtests',
)

NAMES = {
    'fixture': fixture, 'yield_fixture': fixture, 'mark': MarkNames(), 'param': Param, 'raises': expectations.raises,
    'warns': expectations.warns, 'deprecated_call': expectations.deprecated_call, 'approx': expectations.approx,
    'fail': _fail, 'skip': _skip, 'xfail': _xfail, 'importorskip': _importorskip, 'main': _nothing,
    'Mark': Mark, 'MarkDecorator': Mark, '__version__': '8.4.0', 'version_tuple': (8, 4, 0),
    'PytestWarning': UserWarning, 'MonkeyPatch': built_in.MonkeyPatch, **{name: type(name, (), {}) for name in _TYPES},
}
for _function, _kind in ((_fail, Failed), (_skip, Skipped), (_xfail, Skipped)):
    # `pytest.fail.Exception`
    _function.Exception = _kind


def make_module():
    module = types.ModuleType('pytest')
    module.__dict__.update(NAMES)

    def missing(name):
        if name.startswith('__'):
            raise AttributeError(name)
        raise Unsupported('pytest.%s' % name)

    module.__getattr__ = missing
    return module


def make_asyncio_module():
    """A replacement for `pytest_asyncio`. It has little to do, because coroutine tests are always run."""
    module = types.ModuleType('pytest_asyncio')
    module.fixture = fixture
    return module
