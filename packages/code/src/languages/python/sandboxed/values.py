"""Encodes values as JSON without loss: they arrive with the same type and the same content.

Only exact built-in types are sent as data. Anything else (a subclass of `int`, an object, a function) is handled
by `objects.py`. Lists, dicts and other mutable containers are shared: both processes know them by number, and each
message first lists which of them have changed since the last message. So if a solution sorts an argument in place,
it is also sorted in the test, and a list that is returned twice is the same list in the test.
"""
import collections
import datetime
import decimal
import fractions
import importlib
import operator
import sys

from _assay.wire import MOST_FRAME_BYTES, TooLong

_BIG = 2**53
_is = operator.is_
_Ellipsis, _NotImplemented = type(Ellipsis), type(NotImplemented)
_AS_THEY_ARE = frozenset((bool, float, type(None)))
_refs = sys.getrefcount

#: Types that are sent by name. Exceptions are added below.
BUILTINS = {
    kind.__name__: kind
    for kind in (
        object, type, int, float, bool, str, bytes, bytearray, list, tuple, set, frozenset, dict, complex,
        range, slice, type(None), decimal.Decimal, fractions.Fraction, datetime.date, datetime.datetime,
        datetime.time, datetime.timedelta, collections.deque, collections.OrderedDict,
        collections.defaultdict, collections.Counter,
    )
}
BUILTINS.update(
    (name, kind)
    for name, kind in vars(sys.modules['builtins']).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name
)
_NAMES = {kind: name for name, kind in BUILTINS.items()}


class Unreadable(Exception):
    """The received data does not encode a value."""


class _Shared:
    """A container that both processes have, with its content at the last synchronization."""

    __slots__ = ('value', 'kind', 'items')

    def __init__(self, value, kind):
        self.value = value
        self.kind = kind
        self.items = None

    def settle(self):
        self.items = _items(self.value, self.kind)

    def changed(self):
        before = self.items
        if before is None:
            return True
        now = self.value if self.kind == 'l' else _items(self.value, self.kind)
        if type(now) is bytes:
            return before != now
        # Items are compared by identity, because `__eq__` may be untrusted, and because 1 == True.
        return len(before) != len(now) or not all(map(_is, before, now))


def _items(value, kind):
    if kind == 'l':
        return value.copy()
    if kind == 'y':
        return bytes(value)
    if kind in 'dOCD':
        flat = list(dict.keys(value))
        flat.extend(dict.values(value))
        return flat
    return list(value)


def _fill(value, kind, items):
    """Sets the content of a container in place."""
    if kind == 'l':
        value[:] = items
    elif kind in 'dOCD':
        half = len(items) // 2
        value.clear()
        for key, one in zip(items[:half], items[half:]):
            dict.__setitem__(value, key, one) if kind != 'O' else value.__setitem__(key, one)
    elif kind == 's':
        value.clear()
        value.update(items)
    elif kind == 'q':
        value.clear()
        value.extend(items)
    else:
        raise Unreadable('no such container')


_MADE = {
    'l': list, 'd': dict, 's': set, 'y': bytearray, 'C': collections.Counter,
    'O': collections.OrderedDict, 'D': collections.defaultdict, 'q': collections.deque,
}
_KINDS = {kind: name for name, kind in _MADE.items()}

_probe = _Shared([], 'l')
#: The reference count of a container to which only its `_Shared` entry refers.
_ALONE = _refs(_probe.value)


class Values:
    """Encodes and decodes the values of one connection. `objects.py` adds everything that is not plain data."""

    def __init__(self):
        self._mine, self._theirs, self._known = {}, {}, {}
        self._next = 0

    # ── Encoding ─────────────────────────────────────────────────────────────────────────────────

    def encode(self, value):
        kind = type(value)
        if kind is int:
            return value if -_BIG < value < _BIG else {'i': hex(value)}
        if kind in _AS_THEY_ARE:
            return value
        if kind is str:
            if len(value) > MOST_FRAME_BYTES:
                raise TooLong('a text of %d characters is too long to be carried' % len(value))
            return value
        pack = PACK.get(kind)
        if pack is not None:
            return pack(self, value)
        if kind is type and value in _NAMES:
            return {'B': _NAMES[value]}
        return self.encode_object(value)

    def encode_all(self, values):
        encode = self.encode
        return [encode(value) for value in values]

    def _container(self, value):
        known = self._known.get(id(value))
        if known is not None:
            return {known[0]: known[1]}
        number, kind = self._next, _KINDS[type(value)]
        self._next += 1
        shared = self._mine[number] = _Shared(value, kind)
        self._known[id(value)] = ('o', number)
        extra = value.maxlen if kind == 'q' else self.encode(value.default_factory) if kind == 'D' else None
        return {'m': [number, kind, extra, self._content(shared)]}

    def _content(self, shared):
        shared.settle()
        items = shared.items
        return items.hex() if type(items) is bytes else self.encode_all(items)

    def changes(self):
        """Returns what the other process must know before the next message: the containers that changed and those
        that were released."""
        if not self._theirs and not self._mine:
            return None
        changed, done = [], []
        for number, shared in list(self._theirs.items()):
            if shared.changed():
                changed.append(['a', number, self._content(shared)])
            if _refs(shared.value) <= _ALONE:
                done.append(number)
                del self._theirs[number], self._known[id(shared.value)]
        for number, shared in list(self._mine.items()):
            if shared.changed():
                changed.append(['o', number, self._content(shared)])
        return [changed, done] if changed or done else None

    # ── Decoding ─────────────────────────────────────────────────────────────────────────────────

    def accept(self, changes):
        changed, done = changes
        for whose, number, content in changed:
            self._refill((self._theirs if whose == 'o' else self._mine)[number], content)
        for number in done:
            del self._known[id(self._mine.pop(number).value)]

    def decode(self, raw):
        if type(raw) is not dict:
            if type(raw) is list:
                raise Unreadable('a bare list')
            return raw
        ((tag, payload),) = raw.items()
        return UNPACK[tag](self, payload)

    def decode_all(self, raws):
        decode = self.decode
        return [decode(raw) for raw in raws]

    def _received(self, payload):
        number, kind, extra, content = payload
        if kind == 'q':
            value = collections.deque(maxlen=extra)
        elif kind == 'D':
            value = collections.defaultdict(self.decode(extra))
        else:
            value = _MADE[kind]()
        shared = self._theirs[number] = _Shared(value, kind)
        self._known[id(value)] = ('a', number)
        self._refill(shared, content)
        return value

    def _refill(self, shared, content):
        if shared.kind == 'y':
            shared.value[:] = bytes.fromhex(content)
        else:
            _fill(shared.value, shared.kind, self.decode_all(content))
        shared.settle()

    # Overridden in `objects.py`.
    def encode_object(self, value):
        raise TypeError('cannot be carried: %s' % type(value).__name__)


def _moment(self, value):
    return [value.hour, value.minute, value.second, value.microsecond, value.fold, self.encode(value.tzinfo)]


def _read_time(self, payload):
    *parts, fold, zone = payload
    return datetime.time(*parts, fold=fold, tzinfo=self.decode(zone))


def _read_zone(seconds):
    return datetime.timezone(datetime.timedelta(0, seconds)) if seconds else datetime.timezone.utc


PACK = {
    tuple: lambda self, value: {'t': self.encode_all(value)},
    frozenset: lambda self, value: {'f': self.encode_all(value)},
    bytes: lambda self, value: {'b': value.hex()},
    complex: lambda self, value: {'c': [value.real, value.imag]},
    range: lambda self, value: {'r': self.encode_all((value.start, value.stop, value.step))},
    slice: lambda self, value: {'S': self.encode_all((value.start, value.stop, value.step))},
    _Ellipsis: lambda self, value: {'e': 0},
    _NotImplemented: lambda self, value: {'e': 1},
    decimal.Decimal: lambda self, value: {'x': str(value)},
    fractions.Fraction: lambda self, value: {'F': self.encode_all((value.numerator, value.denominator))},
    datetime.date: lambda self, value: {'T': [value.year, value.month, value.day]},
    datetime.time: lambda self, value: {'M': _moment(self, value)},
    datetime.datetime: lambda self, value: {'W': [value.year, value.month, value.day, *_moment(self, value)]},
    datetime.timedelta: lambda self, value: {'w': [value.days, value.seconds, value.microseconds]},
    datetime.timezone: lambda self, value: {'z': value.utcoffset(None).total_seconds()},
    **dict.fromkeys(_KINDS, Values._container),
}

#: Types from modules that are rarely used. They are recognized by name, because loading the modules would slow down
#: every fork.
_LATE = {
    ('zoneinfo', 'ZoneInfo'): lambda self, value: {'L': ['zoneinfo', 'ZoneInfo', value.key]},
    ('uuid', 'UUID'): lambda self, value: {'L': ['uuid', 'UUID', value.hex]},
    ('pathlib', 'PosixPath'): lambda self, value: {'L': ['pathlib', 'PosixPath', str(value)]},
    ('pathlib', 'PurePosixPath'): lambda self, value: {'L': ['pathlib', 'PurePosixPath', str(value)]},
}


def pack_late(kind):
    # Returns the encoder of such a type, or None. Since Python 3.13 some of them are in a private submodule.
    where = (str(kind.__module__).split('.')[0], kind.__qualname__)
    pack = _LATE.get(where)
    if pack is not None and getattr(sys.modules.get(where[0]), where[1], None) is kind:
        return pack
    return None


def _read_late(payload):
    module, name, text = payload
    if (module, name) not in _LATE:
        raise Unreadable('no such value')
    return getattr(importlib.import_module(module), name)(text)


UNPACK = {
    'i': lambda self, payload: int(payload, 16),
    'm': Values._received,
    'o': lambda self, payload: self._theirs[payload].value,
    'a': lambda self, payload: self._mine[payload].value,
    't': lambda self, payload: tuple(self.decode_all(payload)),
    'f': lambda self, payload: frozenset(self.decode_all(payload)),
    'b': lambda self, payload: bytes.fromhex(payload),
    'c': lambda self, payload: complex(*payload),
    'r': lambda self, payload: range(*self.decode_all(payload)),
    'S': lambda self, payload: slice(*self.decode_all(payload)),
    'e': lambda self, payload: NotImplemented if payload else Ellipsis,
    'x': lambda self, payload: decimal.Decimal(payload),
    'F': lambda self, payload: fractions.Fraction(*self.decode_all(payload)),
    'T': lambda self, payload: datetime.date(*payload),
    'M': _read_time,
    'W': lambda self, payload: datetime.datetime.combine(
        datetime.date(*payload[:3]), _read_time(self, payload[3:])
    ),
    'w': lambda self, payload: datetime.timedelta(*payload),
    'z': lambda self, payload: _read_zone(payload),
    'L': lambda self, payload: _read_late(payload),
    'B': lambda self, payload: BUILTINS[payload],
}
