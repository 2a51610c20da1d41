"""Proxies: objects in one process that represent objects of the other process.

Every class of the other process gets a proxy class here with the same name, bases and special methods. So
`isinstance`, `except`, `len`, `with` and operators work as they do in the other process. In the tester, the
objects belong to the untrusted solution, and these rules apply:

* An object is never equal to plain data, whatever its `__eq__` returns, and cannot be ordered with it. Two objects
  are equal if the solution says so, unless it also claims that they are equal to a random made-up value.
* The result of a subtraction or division between an object and plain data stays an object that cannot be converted
  to a number, length or truth value. Otherwise `abs(result - 3.0) < 1e-6` would let the solution decide whether it
  is right. No other operation with plain data returns a number either.
"""
import collections.abc
import numbers
import opcode
import os
import sys

#: The connection; there is one per process.
link = None

MOST_NEXT = 100_000
_PREFETCH_AFTER, _PREFETCH = 64, 64

_BINARY = 'add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or'.split()
_TELLING = frozenset('sub truediv floordiv divmod xor and or'.split())
_ORDER = ('lt', 'le', 'gt', 'ge')
_UNARY = ('neg', 'pos', 'invert', 'reversed', 'enter', 'aiter', 'anext', 'aenter', 'bytes', 'length_hint')
#: Special methods whose result is plain data, such as a length or a number.
_PLAIN = ('len', 'iter', 'abs', 'int', 'float', 'complex', 'index', 'round', 'bool', 'trunc', 'floor', 'ceil')
_ITEMS = ('getitem', 'setitem', 'delitem', 'exit', 'aexit', 'format', 'missing')


class WaryTypeError(TypeError):
    """Raised if an operation would let the solution decide its own verdict."""


def handle(value):
    """Returns the number of the object that this proxy represents; None if the value is not a proxy."""
    kind = type(value)
    if isinstance(value, RemoteObject) or kind is RemoteFunction:
        return object.__getattribute__(value, '_assay_h')
    if isinstance(value, RemoteType):
        return type.__getattribute__(value, '_assay_c')
    if isinstance(value, BaseException):
        return BaseException.__getattribute__(value, '__dict__').get('_assay_h')
    return link.wrapped.get(value) if link.wrapped and hasattr(kind, '__code__') else None


def _is_called(frame, name):
    """True if the looked-up attribute is called immediately and not used otherwise: `value.name(…)`."""
    code, at = frame.f_code.co_code, frame.f_lasti
    index = code[at + 1]
    if _IS_BIT:
        is_method, index = code[at] == _LOAD_METHOD and index & 1, index >> 1
    else:
        is_method = code[at] == _LOAD_METHOD
    return is_method and frame.f_code.co_names[index] == name


# Since Python 3.12, a bit of the instruction's argument marks method calls.
_IS_BIT = sys.version_info >= (3, 12)
_LOAD_METHOD = opcode.opmap['LOAD_ATTR' if _IS_BIT else 'LOAD_METHOD']


def _attribute(value, name, frame):
    if link.wary and _is_called(frame, name):
        return lambda *args, **kwargs: link.call_method(value, name, args, kwargs)
    return link.ask('get', value, name)


def _tainted(value):
    try:
        return object.__getattribute__(value, '_assay_t')
    except AttributeError:
        return False


def _own_plain(value):
    return not isinstance(value, (RemoteObject, RemoteFunction, RemoteType))


class RemoteType(type):
    """The metaclass of proxy classes. Each represents a class of the other process."""

    def __new__(mcs, name, bases, body, **rest):
        if '_assay_c' not in body:
            raise WaryTypeError(
                'a test with integrity "isolated" cannot derive a class from %s: use integrity "in-process"'
                % bases[0].__name__
            )
        return super().__new__(mcs, name, bases, body)

    def __init__(cls, name, bases, body, **rest):
        super().__init__(name, bases, body)

    def __call__(cls, *args, **kwargs):
        return link.call(cls, args, kwargs)

    def __getattr__(cls, name):
        return _attribute(cls, name, sys._getframe(1))

    def __setattr__(cls, name, value):
        link.ask('set', cls, name, value)

    def __delattr__(cls, name):
        link.ask('del', cls, name)

    def __getitem__(cls, key):
        return link.ask('do', 'getitem', cls, key)

    def __iter__(cls):
        return link.ask('do', 'iter', cls)

    def __len__(cls):
        return link.ask('do', 'len', cls)

    def __contains__(cls, item):
        return _contains(cls, item)

    def __bool__(cls):
        return True

    def __repr__(cls):
        return type.__repr__(cls) if handle(cls) < 0 else link.ask('do', 'repr', cls)


class RemoteObject:
    """The proxy of an object of the other process; the base of all proxy classes."""

    @property
    def __dict__(self):
        return link.ask('get', self, '__dict__')

    def __getattr__(self, name):
        if name == '_assay_h':
            raise AttributeError(name)
        return _attribute(self, name, sys._getframe(1))

    def __setattr__(self, name, value):
        link.ask('set', self, name, value)

    def __delattr__(self, name):
        link.ask('del', self, name)

    def __dir__(self):
        return link.ask('do', 'dir', self)

    def __eq__(self, other):
        return _equal(self, other)

    __hash__ = object.__hash__

    def __repr__(self):
        return link.ask('do', 'repr', self)

    def __str__(self):
        return link.ask('do', 'str', self)

    def __copy__(self):
        return link.ask('do', 'copy', self)

    def __deepcopy__(self, memo):
        return link.ask('do', 'deepcopy', self)

    def __reduce_ex__(self, protocol):
        raise TypeError('an object of the sample cannot be pickled by a test')


class RemoteFunction:
    """A function or method of the solution."""

    def __init__(self, number, info):
        fill = object.__setattr__
        fill(self, '_assay_h', number)
        fill(self, '__name__', info['n'])
        if info['a']:
            import asyncio.coroutines

            fill(self, '_is_coroutine', getattr(asyncio.coroutines, '_is_coroutine', None))

    def __call__(self, *args, **kwargs):
        return link.call(self, args, kwargs)

    def __getattr__(self, name):
        return link.ask('get', self, name)

    def __setattr__(self, name, value):
        link.ask('set', self, name, value)

    def __eq__(self, other):
        return _equal(self, other)

    def __hash__(self):
        return object.__hash__(self)

    def __repr__(self):
        return link.ask('do', 'repr', self)

    @property
    def __doc__(self):
        return link.ask('get', self, '__doc__')


class RemoteCoroutine(RemoteObject):
    """The proxy of a coroutine of the other process. When it is first awaited here, it runs there to its end."""

    def send(self, value):
        raise StopIteration(link.ask('await', self))

    def throw(self, kind, value=None, traceback=None):
        link.ask('get', self, 'close')()
        raise kind if value is None else value

    def close(self):
        link.ask('get', self, 'close')()

    def __await__(self):
        return link.ask('await', self)
        yield


collections.abc.Coroutine.register(RemoteCoroutine)


class RemoteError:
    """The common base of proxy classes for exceptions. It comes before their real bases."""

    def __getattr__(self, name):
        if name.startswith('_assay') or '_assay_h' not in BaseException.__getattribute__(self, '__dict__'):
            raise AttributeError(name)
        return link.ask('get', self, name)

    def __str__(self):
        text = BaseException.__getattribute__(self, '__dict__').get('_assay_text')
        return BaseException.__str__(self) if text is None else text


# ── Special methods ──────────────────────────────────────────────────────────────────────────────


def _made_up():
    """Returns a random string that cannot be predicted or recognized."""
    drawn = os.urandom(16)
    return ''.join(chr(97 + one % 26) for one in drawn[: 5 + drawn[0] % 11])


def _equal(one, other):
    if one is other:
        return True
    if not link.wary:
        return link.ask('eq', one, (other,))[0]
    if _own_plain(other):
        content = link.content(one)
        return False if content is None else content == other
    # The real value and the made-up one are asked in random order, so that the solution cannot know which is which.
    first = os.urandom(1)[0] & 1
    made_up = _made_up()
    answers = link.ask('eq', one, (made_up, other) if first else (other, made_up))
    return answers[first] is True and answers[1 - first] is not True


def _contains(one, item):
    if not link.wary:
        return link.ask('contains', one, (item,))[0]
    first = os.urandom(1)[0] & 1
    made_up = _made_up()
    answers = link.ask('contains', one, (made_up, item) if first else (item, made_up))
    if isinstance(answers[first], BaseException):
        raise answers[first]
    return answers[first] is True and answers[1 - first] is not True


def _binary(name, operation, turned=False):
    def method(self, other, *rest):
        pair = (other, self) if turned else (self, other)
        plain = link.wary and _own_plain(other)
        result = link.ask('do', operation, *pair, *rest)
        if link.wary and (plain and (operation in _TELLING or isinstance(result, numbers.Number)) or _tainted(self)):
            if result is NotImplemented:
                return result
            if not isinstance(result, RemoteObject):
                raise WaryTypeError(
                    'the sample returned an object of its own that calculates with what was expected'
                )
            object.__setattr__(result, '_assay_t', True)
        return result

    method.__name__ = name
    return method


def _order(name, operation):
    def method(self, other):
        if link.wary and (_own_plain(other) or _tainted(self) or _tainted(other)):
            raise WaryTypeError(
                'an object of the sample (%s) is not compared with plain data' % type(self).__name__
            )
        return link.ask('do', operation, self, other)

    method.__name__ = name
    return method


def _unary(name, operation, plain=False):
    def method(self, *rest):
        if plain and link.wary and _tainted(self):
            raise WaryTypeError('the sample returned an object that calculates with what was expected')
        return link.ask('do', operation, self, *rest)

    method.__name__ = name
    return method


def _leave(name, operation):
    def method(self, kind, value, traceback):
        return link.ask('do', operation, self, kind, value, None)

    method.__name__ = name
    return method


def _next(self):
    return object.__getattribute__(self, '_assay_n').next()


class Ahead:
    """Reads values of an iterator of the other process: the first ones one by one, later several per request."""

    def __init__(self, owner):
        self.owner, self.taken, self.held, self.ended = owner, 0, [], None

    def next(self):
        if self.taken < _PREFETCH_AFTER:
            value = link.ask('do', 'next', self.owner())
            self.taken += 1
            return value
        if not self.held and self.ended is None:
            held, self.ended = link.ask('next', self.owner(), _PREFETCH)
            self.held = list(held[::-1])
        if self.held:
            self.taken += 1
            if link.wary and self.taken > MOST_NEXT:
                raise WaryTypeError('more than %d values were taken from an iterator' % MOST_NEXT)
            return self.held.pop()
        ended, self.ended = self.ended, None
        raise ended


def _await(self):
    return link.ask('await', self)
    yield


def _methods():
    made = {}
    for one in _BINARY:
        operation = {'and': 'and_', 'or': 'or_'}.get(one, one)
        made['__%s__' % one] = _binary(one, one)
        made['__r%s__' % one] = _binary(one, one, turned=True)
        if one != 'divmod':
            made['__i%s__' % one] = _binary(one, 'i' + operation.rstrip('_'))
    for one in _ORDER:
        made['__%s__' % one] = _order(one, one)
    for one in _UNARY + _ITEMS:
        made['__%s__' % one] = _unary(one, one)
    for one in _PLAIN:
        made['__%s__' % one] = _unary(one, one, plain=True)
    made['__exit__'], made['__aexit__'] = _leave('exit', 'exit'), _leave('aexit', 'aexit')
    made['__call__'] = lambda self, *args, **kwargs: link.call(self, args, kwargs)
    made['__contains__'] = _contains
    made['__next__'] = _next
    made['__await__'] = _await
    return made


METHODS = _methods()
EXTRA = ('__eq__', '__hash__', '__repr__', '__str__')
FORWARDED = frozenset(METHODS)
