"""Sends objects, functions, classes and exceptions over the connection as numbers.

The owner of an object keeps it as long as the other process has a proxy for it. `requests.py` executes the
requests of the other process.
"""
import importlib
import types
import weakref

from _assay import proxies
from _assay.proxies import FORWARDED, METHODS, RemoteError, RemoteFunction, RemoteObject, RemoteType
from _assay.values import BUILTINS, PACK, UNPACK, Unreadable, Values, pack_late

FUNCTIONS = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, type('x'.join), type(list.append),
    type(object().__str__),
)
_SECRET = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
#: Immutable built-in types. Objects of their subclasses are sent with their content.
_CONTENT = (int, float, str, bytes, tuple, frozenset, complex)
#: Modules of library exceptions. Both processes use the real class of such an exception.
_LIBRARY = frozenset(
    'asyncio binascii concurrent configparser copy csv _csv dataclasses decimal email enum http ipaddress json '
    'lzma pickle _pickle queue _queue re shutil socket sqlite3 ssl statistics string struct tarfile tokenize '
    'urllib xml zipfile zlib zoneinfo'.split()
)
_PLACEHOLDER = object()


class _Stand(weakref.ref):
    """A weak reference to the proxy of an object of the other process. Its callback runs when the proxy is no
    longer used."""

    __slots__ = ('number',)

    def __new__(cls, made, gone, number):
        self = super().__new__(cls, made, gone)
        self.number = number
        return self

    def __init__(self, made, gone, number):
        super().__init__(made, gone)


class Objects(Values):
    def __init__(self, wary, secret=()):
        super().__init__()
        self.wary, self._secret = wary, _SECRET + secret
        self._exports, self._numbers, self._sent = {}, {}, {}
        self._count = 0
        self._stands, self._got, self._gone = {}, {}, []
        self._classes, self._described, self._kept = {}, set(), {}
        self.wrapped = weakref.WeakKeyDictionary()
        proxies.link = self

    # ── Encoding ─────────────────────────────────────────────────────────────────────────────────

    def encode_object(self, value):
        theirs = proxies.handle(value)
        if theirs is not None:
            return {'j': theirs}
        pack = pack_late(type(value))
        if pack is not None:
            return pack(self, value)
        if self.wary and (isinstance(value, self._secret) or type(value).__module__.startswith('_assay')):
            raise TypeError('a test cannot hand over its own %s' % type(value).__name__)
        if isinstance(value, type):
            return self._encode_class(value)
        if isinstance(value, BaseException):
            return self._encode_error(value)
        number = self._export(value)
        kind = type(value)
        if kind in FUNCTIONS:
            return {'g': [number, _about(value, self.wary)]}
        encoded = self.encode(kind)
        base = _content_base(kind)
        if base is not None:
            return {'v': [number, encoded, self.encode(_plain(base, value))]}
        return {'h': [number, encoded]}

    def _export(self, value):
        number = self._numbers.get(id(value))
        if number is None:
            number = self._count
            self._count += 1
            self._exports[number] = value
            self._numbers[id(value)] = number
            self._sent[number] = 0
        self._sent[number] += 1
        return number

    def _encode_class(self, kind):
        if kind.__module__.split('.')[0] in _LIBRARY and issubclass(kind, BaseException):
            return {'k': [kind.__module__, kind.__qualname__]}
        number = self._export(kind)
        if number in self._described:
            return {'k': [number]}
        self._described.add(number)
        base = _content_base(kind)
        has = []
        for name in FORWARDED:
            owner = next((one for one in kind.__mro__ if name in one.__dict__), None)
            if owner is None or owner is object or base is not None and owner in _CONTENT:
                continue
            if owner.__dict__[name] is not None:
                has.append(name)
        own_hash = next((one.__dict__['__hash__'] for one in kind.__mro__ if '__hash__' in one.__dict__), None)
        about = {
            'n': kind.__name__,
            'q': kind.__qualname__,
            'm': kind.__module__,
            'd': has,
            'h': 0 if own_hash is None else 1 if own_hash is object.__hash__ else 2,
            'c': kind is types.CoroutineType,
            'v': None if base is None else base.__name__,
            'b': [self.encode(one) for one in kind.__bases__ if one is not object],
        }
        return {'k': [number, about]}

    def _encode_error(self, error, depth=3):
        number = self._export(error)
        cause = error.__cause__
        try:
            args = self.encode_all(BaseException.__getattribute__(error, 'args'))
        except Exception:
            args = []
        try:
            text = str(error)
        except Exception:
            text = '<its message cannot be shown>'
        return {
            'X': [
                number,
                self._encode_class(type(error)) if type(error).__name__ not in BUILTINS
                or BUILTINS[type(error).__name__] is not type(error)
                else {'B': type(error).__name__},
                args,
                text[:100_000],
                _where(error),
                None if cause is None or depth == 0 or proxies.handle(cause) is not None
                else self._encode_error(cause, depth - 1),
            ]
        }

    def rollback(self, mark):
        """Undoes what was recorded for a message that could not be encoded. `mark`: the counters from before the
        message."""
        for number in range(mark[0], self._next):
            shared = self._mine.pop(number, None)
            if shared is not None:
                self._known.pop(id(shared.value), None)
        self._described.difference_update(range(mark[1], self._count))

    def changes(self):
        plain = super().changes()
        if plain is None and not self._gone:
            return None
        gone, self._gone = self._gone, []
        return (plain or [[], []]) + [gone]

    # ── Decoding ─────────────────────────────────────────────────────────────────────────────────

    def accept(self, changes):
        super().accept(changes[:2])
        for number, times in changes[2]:
            self._sent[number] -= times
            if self._sent[number] == 0 and number not in self._described:
                del self._numbers[id(self._exports.pop(number))], self._sent[number]

    def decode_object(self, tag, payload):
        if tag == 'k':
            return self._decode_class(payload)
        number = payload[0]
        known = self._stands.get(number)
        known = self._kept.get(number) if known is None else known()
        self._got[number] = self._got.get(number, 0) + 1
        if tag == 'X':
            # Exceptions do not support weak references, so their owner keeps them until the connection ends.
            return self._decode_error(payload)
        if tag != 'g':
            kind = self.decode(payload[1])
            if not isinstance(kind, RemoteType):
                raise Unreadable('an object without a class')
        if known is not None:
            return known
        if tag == 'g':
            made = RemoteFunction(number, payload[1]) if self.wary else _wrapper(payload[1])
            if not self.wary:
                self.wrapped[made] = number
        else:
            made = kind._assay_make(payload)
            object.__setattr__(made, '_assay_h', number)
        try:
            self._stands[number] = _Stand(made, self._let_go, number)
        except TypeError:
            # Tuples and numbers do not support weak references, so their owner keeps them until the connection ends.
            self._kept[number] = made
        return made

    def _let_go(self, stand):
        # A newer proxy of the same object may already exist. Then the object must not be released.
        if self._stands.get(stand.number) is stand:
            del self._stands[stand.number]
            self._gone.append([stand.number, self._got.pop(stand.number, 0)])

    def _decode_class(self, payload):
        if isinstance(payload[0], str):
            return _library_error(*payload)
        number = payload[0]
        if number not in self._classes:
            self._classes[number] = self._make_class(number, payload[1])
        return self._classes[number]

    def _make_class(self, number, about):
        bases = [self.decode(base) for base in about['b']]
        body = {name: METHODS[name] for name in about['d'] if name in METHODS}
        body.update(_assay_c=number, __module__=str(about['m']), __qualname__=str(about['q']))
        error = any(isinstance(base, type) and issubclass(base, BaseException) for base in bases)
        if about['h'] == 0:
            body['__hash__'] = None
        elif about['h'] == 2 and not error and about['v'] is None:
            body['__hash__'] = lambda self: proxies.link.ask('do', 'hash', self)
        content = BUILTINS[about['v']] if about['v'] in ('int', 'float', 'str', 'bytes', 'tuple',
                                                        'frozenset', 'complex') else None
        kept = [
            base for base in bases
            if isinstance(base, RemoteType) or error and issubclass(base, BaseException) or base is content
        ]
        if error:
            # Attributes of an untrusted exception are requested from its owner. Its real base classes are used here,
            # so that `except` matches correctly.
            body.pop('__init__', None)
            kept = [base for base in bases if issubclass(base, BaseException)]
            if not any(issubclass(base, RemoteError) for base in kept):
                kept.insert(0, RemoteError)
        elif not any(isinstance(base, type) and issubclass(base, RemoteObject) for base in kept):
            kept.append(proxies.RemoteCoroutine if about['c'] else _ROOT)
        if content is not None and not error:
            for name in ('__repr__', '__str__'):
                body[name] = RemoteObject.__dict__[name]
            body['__hash__'] = content.__hash__
            body['__setattr__'] = RemoteObject.__setattr__
            body['_assay_make'] = classmethod(
                lambda cls, payload: content.__new__(cls, self.decode(payload[2]))
            )
        elif not error:
            steps = '__next__' in body or any('__next__' in one.__dict__ for base in kept for one in base.__mro__)
            body['_assay_make'] = classmethod(_make_iterator if steps else _make_plain)
        name = str(about['n'])
        try:
            return RemoteType(name, tuple(kept), body)
        except TypeError:
            # Python cannot combine these base classes in this process. The class keeps its name, but gets only the
            # common base.
            return RemoteType(name, (RemoteError, Exception) if error else (_ROOT,), body)

    def _decode_error(self, payload):
        number, kind, args, text, where, cause = payload
        kind = self.decode(kind)
        args = self.decode_all(args)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise Unreadable('an exception without a class')
        error = None
        if not isinstance(kind, RemoteType):
            try:
                error = kind(*args)
            except Exception:
                error = None
        if error is None:
            error = kind.__new__(kind)
            error.args = tuple(args)
        fill = BaseException.__setattr__
        for name, value in (('_assay_h', number), ('_assay_text', str(text)), ('_assay_where', where)):
            fill(error, name, value)
        if cause is not None:
            error.__cause__ = self._decode_error(cause['X'])
        return error

    def content(self, value):
        """Returns the content of an object derived from list, dict or set, or None if its class overrides
        equality."""
        # `hasattr` cannot be used: it would ask the other process, or find a method that every proxy class has.
        holds = isinstance(value, RemoteObject) and any('__len__' in one.__dict__ for one in type(value).__mro__)
        return self.ask('content', value) if holds else None


PACK[RemoteFunction] = lambda self, value: {'j': value._assay_h}
UNPACK['j'] = lambda self, payload: self._exports[payload]
for _tag in 'hkgXv':
    UNPACK[_tag] = lambda self, payload, tag=_tag: self.decode_object(tag, payload)


class _Root(RemoteObject, metaclass=RemoteType):
    _assay_c = -1


_ROOT = _Root


def _make_plain(cls, payload):
    return object.__new__(cls)


def _make_iterator(cls, payload):
    made = object.__new__(cls)
    object.__setattr__(made, '_assay_n', proxies.Ahead(weakref.ref(made)))
    return made


def _content_base(kind):
    """Returns the built-in type whose content is sent for this class, or None if the class overrides equality."""
    base = next((one for one in kind.__mro__ if one in _CONTENT), None)
    if base is None or kind is base:
        return None
    return base if kind.__eq__ is base.__eq__ and kind.__hash__ is not None else None


def _plain(base, value):
    return base(base.__iter__(value)) if base in (tuple, frozenset) else _AS[base](value)


_AS = {
    int: int.__index__, float: lambda value: float.__add__(value, -0.0), str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)), complex: lambda value: complex.__add__(value, 0),
}


def _about(value, closely):
    code = getattr(value, '__code__', None)
    flags = code.co_flags if type(code) is types.CodeType else 0
    about = {'n': getattr(value, '__name__', 'function'), 'a': bool(flags & _CO_COROUTINE)}
    # Decorators of the solution may inspect functions of a test, so their details are sent at once. The tests request
    # details of the solution's functions when they need them.
    if closely and code is not None:
        about['p'] = _parameters(value)
        about['d'] = value.__doc__ if isinstance(value.__doc__, str) else None
    return about


_CO_COROUTINE = 128


def _parameters(value):
    import inspect

    try:
        found = inspect.signature(value, follow_wrapped=False).parameters.values()
        return [[one.name, int(one.kind), one.default is not one.empty] for one in found]
    except (TypeError, ValueError):
        return None


def _wrapper(about):
    """Makes a real function that calls a function of the test. A proxy object is not enough, because decorators of
    the solution may inspect the function."""
    if about['a']:

        async def called(*args, **kwargs):
            return await proxies.link.call(called, args, kwargs)

    else:

        def called(*args, **kwargs):
            return proxies.link.call(called, args, kwargs)

    called.__name__ = called.__qualname__ = about['n']
    called.__doc__ = about.get('d')
    if about.get('p') is not None:
        import inspect

        called.__signature__ = inspect.Signature(
            [
                inspect.Parameter(name, inspect._ParameterKind(kind), **({'default': _PLACEHOLDER} if has else {}))
                for name, kind, has in about['p']
            ]
        )
    return called


def _library_error(module, name):
    if module.split('.')[0] not in _LIBRARY:
        raise Unreadable('no such exception')
    found = importlib.import_module(module)
    for part in name.split('.'):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        raise Unreadable('no such exception')
    return found


def _where(error):
    """Returns the last line of the solution in the exception's traceback."""
    traceback, found = error.__traceback__, None
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if not name.startswith(('<', '/', '_assay')):
            found = [name, traceback.tb_lineno]
        traceback = traceback.tb_next
    return found
