"""Comparisons of in-process tests, by exact types.

The answer's objects are in the same process as the tests, and an operator would call methods of their classes. So
operands are first converted to plain data, in all nested containers:

* An object whose class derives from a built-in data type counts as the data that it holds, whatever its methods
  return.
* Any other object of the answer's classes is never equal to plain data and cannot be ordered with it. Two such
  objects are equal if both say so, unless one of them also claims to be equal to a made-up object, or their equality
  depends on an attribute that falsely claims to be equal.
* The result of a subtraction or division between such an object and plain data is never converted to a number,
  length or truth value. Otherwise `abs(result - 3.0) < 1e-6` would let the answer decide whether it is right.

If none of the answer's classes are involved, Python's own operators do all the work.
"""
import collections
import gc
import os
import types

from _assay.trust import dict_of, is_own, is_trusted, method_owner, mro_of

LEAF, LIST, TUPLE, DICT, SET, OPAQUE, FOREIGN = range(7)
_leaves = (
    type(None), bool, int, float, complex, str, bytes, bytearray, range, type(Ellipsis), type(NotImplemented), type,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.CodeType,
    types.GeneratorType, types.CoroutineType,
)
KINDS = {id(kind): LEAF for kind in _leaves}
LEAVES = frozenset(KINDS)
KINDS.update({id(kind): LIST for kind in (list, collections.deque)})
KINDS.update({id(tuple): TUPLE, id(set): SET, id(frozenset): SET})
KINDS.update({id(kind): DICT for kind in (dict, collections.OrderedDict, collections.defaultdict)})

#: How to read the content of an object derived from a built-in type, with that type's own methods.
_CONTENT = (
    (int, int.__index__), (float, lambda value: float.__add__(value, -0.0)), (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))), (complex, lambda value: complex.__add__(value, 0)),
    (tuple, lambda value: tuple(tuple.__iter__(value))), (list, lambda value: list(list.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))), (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
    (bytearray, lambda value: bytearray(bytearray.__iter__(value))),
    (collections.deque, lambda value: collections.deque(collections.deque.__iter__(value))),
)
_MOSTOPAQUE = 10_000


class Refused(AssertionError):
    """Raised if a comparison would let the answer decide its own verdict."""


#: The refusals in the running test. If there is one, the test fails, even if it catches the exception.
refusals = []
tainted = {}


def refuse(value, why):
    refusals.append('an object of the class %s %s' % (type(value).__name__, why))
    raise Refused(refusals[-1])


def forget():
    """Resets the state before each test."""
    refusals.clear()
    tainted.clear()


def kind_of(value):
    kind = type(value)
    found = KINDS.get(id(kind))
    if found is not None:
        return found
    if not is_trusted(kind):
        return FOREIGN
    return LEAF if type in mro_of(kind) else OPAQUE


def _parts(value, kind):
    if kind == DICT:
        return [*dict.keys(value), *dict.values(value)]
    if kind != OPAQUE:
        return value
    # Objects that compare by identity run no code of the answer, so their content is not inspected.
    if method_owner(type(value), '__eq__') is object:
        return ()
    if type(value).__name__ == 'ndarray' and value.dtype.hasobject:
        return value.tolist()
    return gc.get_referents(value)


def _has_foreign(value, seen):
    waiting, opaque = [value], 0
    while waiting:
        one = waiting.pop()
        kind = kind_of(one)
        if kind == FOREIGN:
            return True
        if kind == LEAF or id(one) in seen:
            continue
        seen[id(one)] = one
        opaque += kind == OPAQUE
        if opaque > _MOSTOPAQUE:
            return True
        parts = _parts(one, kind)
        # Types are compared by identity (`id`), because the answer may define the hash of a class.
        if not LEAVES.issuperset(map(id, map(type, parts))):
            waiting.extend(parts)
    return False


def is_foreign(value):
    """True if operators would call the answer's code for this value. Also inspects the content of library objects."""
    kind = kind_of(value)
    return kind == FOREIGN or kind == OPAQUE and _has_foreign(value, {})


def plain(value):
    """Returns the value, or a plain copy if it contains objects of the answer's classes."""
    if kind_of(value) == LEAF or not _has_foreign(value, {}):
        return value
    return _built(value, {})


def _built(value, memo):
    kind = kind_of(value)
    if kind == LEAF:
        return value
    if id(value) in memo:
        return memo[id(value)][0]
    made = None
    if kind == LIST or kind == DICT:
        made = collections.OrderedDict() if type(value) is collections.OrderedDict else {} if kind == DICT else []
        if type(value) is collections.deque:
            made = collections.deque(maxlen=value.maxlen)
        memo[id(value)] = (made, value)
        if kind == DICT:
            for key, one in value.items():
                made[_built(key, memo)] = _built(one, memo)
            return made if len(made) == len(value) else Wary(value)
        made.extend([_built(one, memo) for one in value])
        return made
    if kind == TUPLE or kind == SET:
        made = type(value)([_built(one, memo) for one in value])
        if len(made) != len(value):
            made = Wary(value)
    elif kind == OPAQUE:
        made = _opaque(value, memo)
    else:
        made = _counted(value, memo)
    memo[id(value)] = (made, value)
    return made


def _opaque(value, memo):
    """Makes a plain copy of an object of the library or the tests that may contain objects of the answer."""
    if not _has_foreign(value, {}):
        return value
    kind = type(value)
    if kind is types.SimpleNamespace:
        return types.SimpleNamespace(**_built(vars(value), memo))
    if kind is slice:
        return slice(*_built((value.start, value.stop, value.step), memo))
    if kind is _KEYS or kind is _ITEMS:
        return set(_built(list(value), memo))
    content = content_of(value)
    if content is None:
        return Wary(value)
    made = _built(content[0], memo)
    if kind is collections.Counter:
        return collections.Counter(made)
    copied = tuple.__new__(kind, made) if content[1] is tuple and hasattr(value, '__dict__') else made
    if copied is not made:
        copied.__dict__.update(value.__dict__)
    return copied


_KEYS, _ITEMS = type({}.keys()), type({}.items())


def content_of(value):
    """Returns the plain content of an object whose class derives from a built-in data type, and that type.
    Otherwise returns None."""
    if id(value) in tainted:
        return None
    order = mro_of(type(value))
    for base, take in _CONTENT:
        for one in order:
            if one is base:
                return take(value), base
    return None


def _counted(value, memo):
    content = content_of(value)
    if content is None:
        return Wary(value)
    made = _built(content[0], memo)
    own = method_owner(type(value), '__eq__')
    return made if is_trusted(own) else Wary(value, made, True)


class Wary:
    """Stands for an object of the answer in a comparison. `operators.py` adds its other operators."""

    __slots__ = ('object', 'content', 'has_content')

    def __init__(self, value, content=None, has_content=False):
        self.object, self.content, self.has_content = value, content, has_content

    def __eq__(self, other):
        if type(other) is Wary:
            if _same(self.object, other.object):
                return True
            return self.has_content and other.has_content and self.content == other.content
        if self.has_content:
            return self.content == other
        return _same(self.object, other) if kind_of(other) == OPAQUE else NotImplemented

    def __ne__(self, other):
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __hash__(self):
        return hash(self.content if self.has_content else self.object)

    def __len__(self):
        return len(untainted(self.object))

    def __iter__(self):
        return map(plain, iter(untainted(self.object)))

    def __getitem__(self, key):
        return plain(untainted(self.object)[key])

    def __abs__(self):
        return plain(abs(untainted(self.object)))

    def __round__(self, *digits):
        return plain(round(untainted(self.object), *digits))

    def __repr__(self):
        return repr(self.object)


def untainted(value):
    if id(value) in tainted:
        refuse(value, 'was made from what the test compares it with')
    return value


# ── Comparing two objects ────────────────────────────────────────────────────────────────────────


class _MadeUp:
    pass


def made_up():
    """Returns a random string that cannot be predicted or recognized."""
    drawn = os.urandom(16)
    return ''.join(chr(97 + one % 26) for one in drawn[: 5 + drawn[0] % 11])


def _same(one, other):
    if one is other:
        return True
    foreign = [value for value in (one, other) if kind_of(value) == FOREIGN]
    if len(foreign) == 1:
        asked = other if foreign[0] is one else one
        # `mock.ANY`, `approx` and classes of the tests may decide that they are equal to the answer's object. Other
        # library objects count as plain data.
        return is_own(type(asked)) and _is_true(type(asked).__eq__(asked, foreign[0]))
    if not (_says(one, other) and _says(other, one)) or _rests_on_a_lie(one, other, {}):
        return False
    if not foreign:
        return True
    other_thing = made_up()
    if _believes(one, other_thing) or _believes(other, other_thing):
        return False
    changed = _changed_copy(other)
    return changed is None or not _believes(one, changed)


def _is_true(found):
    return found is True or found is not NotImplemented and kind_of(found) != FOREIGN and bool(found)


def _says(one, other):
    return _is_true(one == other)


def _believes(one, other):
    try:
        return _says(one, other)
    except Exception:
        return False


def _state(value):
    """Returns the attributes of an object without calling code of its class."""
    found = {}
    for one in mro_of(type(value)):
        for name, member in dict_of(one).items():
            if type(member) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = member.__get__(value)
                except (AttributeError, TypeError):
                    pass
    try:
        own = object.__getattribute__(value, '__dict__')
    except Exception:
        own = None
    if type(own) is dict:
        found.update(own)
    return found


def _changed_copy(value):
    """Returns a new object of the class whose attributes all have made-up values, or None if that is not possible."""
    kind, state = type(value), _state(value)
    if not state:
        return None
    try:
        made = object.__new__(kind)
        for name in state:
            object.__setattr__(made, name, _MadeUp())
    except Exception:
        return None
    return made


def _rests_on_a_lie(one, other, seen):
    """True if the objects are equal only because an attribute's own `__eq__` falsely claims to equal plain data."""
    if (id(one), id(other)) in seen:
        return False
    seen[id(one), id(other)] = one, other
    first, second = kind_of(one), kind_of(other)
    if first == second == LEAF:
        return False
    if first in (FOREIGN, OPAQUE) and second in (FOREIGN, OPAQUE):
        mine, theirs = _state(one), _state(other)
        return any(_rests_on_a_lie(mine[name], theirs[name], seen) for name in mine if name in theirs)
    if FOREIGN in (first, second):
        return not plain(one) == plain(other) and _believes(one, other)
    if first == second == DICT:
        return any(_rests_on_a_lie(value, other[key], seen) for key, value in one.items() if key in other)
    if first == second and first in (LIST, TUPLE):
        return any(_rests_on_a_lie(*pair, seen) for pair in zip(one, other))
    return first == second == SET and one == other and not plain(one) == plain(other)
