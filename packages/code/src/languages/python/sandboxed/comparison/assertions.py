"""Trusted versions of the functions and modules that in-process tests use by name: built-in functions, unittest,
pytest, mock.

They are created before the answer is loaded, from functions with separate globals and builtins. So changes that
the answer makes to a module do not affect them.
"""
import builtins
import math
import operator
import sys
import types
import unittest
import unittest.case

from _assay import expectations, operators, pytest_stub, trust
from _assay.wary import plain

#: Assertions about identity or exceptions. They compare no values, so they are used unchanged.
_AS_THEY_ARE = ('Is', 'IsNot', 'IsNone', 'IsNotNone', 'Raises', 'RaisesRegex', 'Warns', 'WarnsRegex', 'Logs', 'NoLogs')
_TRUTH = ('True', 'False')


def _own_functions(kind, space):
    """Copies the functions of a class so that they look up names in `space`."""
    made = {}
    for name, value in vars(kind).items():
        if type(value) is types.FunctionType and value.__closure__ is None:
            copied = types.FunctionType(value.__code__, space, name, value.__defaults__)
            copied.__kwdefaults__ = value.__kwdefaults__
            copied.__qualname__, copied.__doc__ = value.__qualname__, value.__doc__
            made[name] = copied
    return made


def _with_plain(function):
    def asserted(self, *args, **named):
        return function(self, *map(plain, args), **{name: plain(value) for name, value in named.items()})

    return asserted


def _with_truth(function):
    def asserted(self, expr, msg=None):
        return function(self, operators.truth(expr), msg)

    return asserted


def _equal(function):
    """Wraps `assertEqual`. If the tests have registered a comparison function for this class
    (`addTypeEqualityFunc`), that function is used."""

    def asserted(self, first, second, msg=None):
        kind = type(first)
        if kind is type(second) and plain(first) is not first and any(one is kind for one in self._type_equality_funcs):
            return self._getAssertEqualityFunc(first, second)(first, second, msg=msg)
        return function(self, plain(first), plain(second), msg)

    return asserted


def _is_instance(wanted):
    def asserted(self, obj, cls, msg=None):
        if operators.is_instance(obj, cls) is not wanted:
            standard = '%r is %san instance of %r' % (obj, 'not ' if wanted else '', cls)
            self.fail(self._formatMessage(msg, standard))

    return asserted


def _in(wanted):
    def asserted(self, member, container, msg=None):
        if operators.contains(member, container) is not wanted:
            self.fail(self._formatMessage(msg, '%r %sin %r' % (member, 'not ' if wanted else '', container)))

    return asserted


def _listed(function):
    def asserted(self, first, second, msg=None):
        return function(self, plain(list(first)), plain(list(second)), msg)

    return asserted


def _assertions(functions):
    made = {}
    for name, function in functions.items():
        if not name.startswith('assert') or name[6:] in _AS_THEY_ARE:
            continue
        made[name] = (_with_truth if name[6:] in _TRUTH else _with_plain)(function)
    made['assertEqual'] = _equal(functions['assertEqual'])
    made['assertCountEqual'] = _listed(functions['assertCountEqual'])
    made['assertIn'], made['assertNotIn'] = _in(True), _in(False)
    made['assertIsInstance'], made['assertNotIsInstance'] = _is_instance(True), _is_instance(False)
    return made


def _unittest(own):
    """Returns a copy of the module `unittest` whose assertions compare plain values."""
    functions = _own_functions(unittest.TestCase, {**vars(unittest.case), '__builtins__': own})
    asserting = _assertions(functions)
    about = {'__module__': 'unittest.case'}
    made = types.ModuleType('unittest')
    made.__dict__.update(vars(unittest))
    made.TestCase = type('TestCase', (unittest.TestCase,), {**functions, **asserting, **about})
    kind = getattr(unittest, 'IsolatedAsyncioTestCase', None)
    if kind is not None:
        kept = {name: one for name, one in functions.items() if name.startswith('assert')}
        made.IsolatedAsyncioTestCase = type(kind.__name__, (kind,), {**kept, **asserting, **about})
    return made


def _copied(module, **changed):
    made = types.ModuleType(module.__name__)
    made.__dict__.update(vars(module))
    made.__dict__.update(changed)
    return made


def guard_mock(module):
    """Makes mocks compare their recorded calls by plain values."""
    call = module._Call
    asked = call.__eq__

    def equal(self, other):
        if not isinstance(other, tuple):
            return asked(self, other)
        return asked(plain(self), plain(other))

    call.__eq__ = equal
    call.__ne__ = lambda self, other: not equal(self, other)
    trust.trust_class(call)
    trust.trust_own(type(module.ANY))


class Surroundings:
    """The builtins and modules for one test source. Made before the answer is loaded."""

    def __init__(self):
        self.builtins = {**vars(builtins), **operators.FUNCTIONS}
        own = dict(vars(builtins))
        self._modules = {
            'unittest': _unittest(own), 'math': _copied(math), 'operator': _copied(operator, **operators.OPERATOR),
        }
        self._modules['unittest.case'] = self._modules['unittest']
        self._modules['pytest'] = pytest_stub.make_module()
        self._import = builtins.__import__
        self.builtins['__import__'] = self.find
        self._modules['pytest_asyncio'] = pytest_stub.make_asyncio_module()
        #: The files of the tests. Set before they are loaded.
        self.helpers = None
        trust.trust_own(expectations.approx)
        expectations.plain = plain

    def hold(self, name, module):
        """Makes tests get this module under the name, even if the answer replaces it in `sys.modules`."""
        if name == 'unittest.mock':
            guard_mock(module)
            self._modules['unittest'].mock = module
        whole = name.partition('.')[0]
        self._modules.setdefault(name, module)
        self._modules.setdefault(whole, sys.modules[whole])

    def find(self, name, space=None, local=None, wanted=(), level=0):
        """Implements `import` in a test."""
        whole = name.partition('.')[0]
        known = self._modules.get(name) if level == 0 else None
        if known is None and level == 0 and self.helpers is not None:
            known = self.helpers.module(name)
        if known is None:
            found = self._import(name, space, local, wanted, level)
            return self._modules.get(whole, found) if level == 0 and not wanted else found
        if not wanted and whole != name:
            # `import a.b` binds `a`.
            return self._modules.get(whole) or self._package(name, known)
        if name == 'unittest':
            for part in wanted or ():
                if not hasattr(known, part):
                    setattr(known, part, self._import('unittest.' + part, None, None, ('x',)))
        return known

    def _package(self, name, module):
        """Returns a package that contains a dotted module of the tests' own files."""
        whole, _, rest = name.partition('.')
        made = types.ModuleType(whole)
        setattr(made, rest, module)
        return made

    def module(self, name):
        """Returns a library module for a test that uses the module without importing it."""
        return self.find(name, None, None, ('__name__',))
