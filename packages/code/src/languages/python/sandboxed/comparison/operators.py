"""The operations of in-process tests on values: comparisons, arithmetic, truth, and the functions built on them.

Each operation behaves as in Python if no object of the answer's classes is involved. Otherwise it follows the
rules in `wary.py`.
"""
import numbers
import operator

from _assay.trust import is_fixed, is_trusted, method_owner, mro_of
from _assay.wary import (
    DICT, FOREIGN, KINDS, LEAVES, LIST, SET, TUPLE, Wary, content_of, is_foreign, kind_of, made_up, plain, refuse,
    tainted, untainted,
)

_COMPARE = {
    'Eq': operator.eq, 'NotEq': operator.ne, 'Lt': operator.lt, 'LtE': operator.le, 'Gt': operator.gt,
    'GtE': operator.ge, 'Is': operator.is_, 'IsNot': operator.is_not,
}


def compare(operation, left, right):
    ask = _COMPARE.get(operation)
    if ask is None:
        return contains(left, right) is (operation == 'In')
    if id(type(left)) in LEAVES and id(type(right)) in LEAVES or operation in ('Is', 'IsNot'):
        return ask(left, right)
    return ask(plain(left), plain(right))


def note(left, right):
    """Explains why two values that look alike are not equal."""
    for one, other in ((left, right), (right, left)):
        if kind_of(one) == FOREIGN and kind_of(other) != FOREIGN and content_of(one) is None:
            return ' (an object of a class of the code is never equal to plain data)'
    return ''


def chain(operations, *values):
    """Implements `a < b < c`. All operands are already evaluated. Python would skip `c` if `a < b` is false, but
    tests do not rely on that."""
    kept = True
    for index, operation in enumerate(operations):
        kept = compare(operation, values[index], values[index + 1])
        if not truth(kept):
            break
    return kept


def contains(item, holder):
    kind = kind_of(holder)
    if kind == FOREIGN and not is_trusted(method_owner(type(holder), '__contains__') or object):
        try:
            lies = made_up() in holder
        except Exception:
            lies = False
        return untainted(item) in untainted(holder) and not lies
    if kind in (FOREIGN, DICT, SET) or method_owner(type(holder), '__contains__') is not None:
        made = plain(holder)
        if type(made) is not Wary or made.has_content:
            return plain(item) in (made.content if type(made) is Wary else made)
    # Compares the items one by one, as Python does for objects without `__contains__`.
    item = plain(item)
    return any(plain(one) == item for one in holder)


_BINARY = {
    'Add': operator.add, 'Sub': operator.sub, 'Mult': operator.mul, 'Div': operator.truediv, 'Mod': operator.mod,
    'FloorDiv': operator.floordiv, 'Pow': operator.pow, 'BitXor': operator.xor, 'BitAnd': operator.and_,
    'BitOr': operator.or_, 'LShift': operator.lshift, 'RShift': operator.rshift, 'MatMult': operator.matmul,
    'Divmod': divmod,
}
_TELLING = frozenset(('Sub', 'Div', 'FloorDiv', 'BitXor', 'BitAnd', 'BitOr', 'Divmod'))


def binary(operation, left, right):
    ask = _BINARY[operation]
    if id(type(left)) in KINDS and id(type(right)) in KINDS:
        return ask(left, right)
    first, second = is_foreign(left), is_foreign(right)
    result = ask(left, right)
    if not first and not second:
        return result
    told = id(left) in tainted or id(right) in tainted
    if first and second and not told:
        return result
    told = told or operation in _TELLING
    theirs = left if first else right
    if is_foreign(result):
        if told:
            tainted[id(result)] = result
        return result
    content = content_of(theirs)
    if content is not None:
        # The class derives from a number type. Its plain content is used, so that the answer's own arithmetic is not
        # called.
        return ask(content[0], right) if first else ask(left, content[0])
    # The answer's arithmetic could return any number that makes the next check of the test pass.
    if told or isinstance(result, numbers.Number):
        refuse(theirs, 'calculates with what the test compares it with')
    return result


def unary(operation, value):
    return _UNARY[operation](untainted(value))


_UNARY = {'USub': operator.neg, 'UAdd': operator.pos, 'Invert': operator.invert}


def truth(value):
    if id(type(value)) not in KINDS and kind_of(value) == FOREIGN:
        content = content_of(untainted(value))
        if content is not None:
            return bool(content[0])
    return bool(value)


def subject(value, asks):
    """Returns the value that a `match` statement should match, because patterns compare without our operators.
    `asks`: whether a pattern compares with plain values."""
    made = plain(value)
    if type(made) is not Wary:
        return made
    if made.has_content:
        return made.content
    if asks and kind_of(value) == FOREIGN and not is_trusted(method_owner(type(value), '__eq__')):
        refuse(value, 'is matched with plain data')
    return value


# ── Operators of `Wary` ──────────────────────────────────────────────────────────────────────────


def _raw(value):
    return value.object if type(value) is Wary else value


def _order(name):
    ask = getattr(operator, name)

    def method(self, other):
        if type(other) is Wary:
            return truth(ask(untainted(self.object), untainted(other.object)))
        if self.has_content:
            return ask(self.content, other)
        refuse(self.object, 'has no order with plain data')

    return method


for _name in ('lt', 'le', 'gt', 'ge'):
    setattr(Wary, '__%s__' % _name, _order(_name))
Wary.__bool__ = lambda self: truth(self.object)
Wary.__contains__ = lambda self, item: contains(item, self.object)
Wary.__sub__ = lambda self, other: plain(binary('Sub', self.object, _raw(other)))
Wary.__rsub__ = lambda self, other: plain(binary('Sub', _raw(other), self.object))


# ── Built-in functions ───────────────────────────────────────────────────────────────────────────


def is_instance(value, kinds):
    """Implements `isinstance` with the real class, because an object may claim another one in `__class__`."""
    if kind_of(value) != FOREIGN:
        return isinstance(value, kinds)
    if type(kinds) is tuple:
        return any(is_instance(value, one) for one in kinds)
    if type(kinds).__name__ == 'UnionType':
        return any(is_instance(value, one) for one in kinds.__args__)
    if type(kinds) is type and is_fixed(kinds):
        return any(one is kinds for one in mro_of(type(value)))
    return isinstance(value, kinds)


def _total(values, start=0):
    values = list(values)
    if not any(map(is_foreign, [start, *values])):
        return sum(values, start)
    for one in values:
        start = binary('Add', start, one)
    return start


def _is_mixed(values):
    found = [is_foreign(one) for one in values]
    return any(found) and not all(found)


def _sorted(values, *, key=None, reverse=False):
    values = list(values)
    keys = values if key is None else [key(one) for one in values]
    if not _is_mixed(keys):
        return sorted(values, key=key, reverse=reverse)
    order = sorted(range(len(values)), key=lambda index: plain(keys[index]), reverse=reverse)
    return [values[index] for index in order]


def _first(choose, last):
    def chosen(*values, key=None, **rest):
        given = list(values[0]) if len(values) == 1 else list(values)
        keys = given if key is None else [key(one) for one in given]
        if not given or not _is_mixed(keys):
            return choose(given, key=key, **rest)
        return given[choose(range(len(given)), key=lambda index: plain(keys[index]))]

    chosen.__name__ = last
    return chosen


def _careful(function):
    def called(value, *rest):
        return function(untainted(value), *rest)

    called.__name__ = called.__qualname__ = function.__name__
    return called


#: Replacements for built-in functions in tests.
FUNCTIONS = {
    'isinstance': is_instance, 'sum': _total, 'sorted': _sorted, 'min': _first(min, 'min'), 'max': _first(max, 'max'),
    'divmod': lambda left, right: binary('Divmod', left, right),
    **{function.__name__: _careful(function) for function in (abs, round, len)},
}

_NAMED = {'eq': 'Eq', 'ne': 'NotEq', 'lt': 'Lt', 'le': 'LtE', 'gt': 'Gt', 'ge': 'GtE'}
_CALCULATED = {
    'add': 'Add', 'concat': 'Add', 'sub': 'Sub', 'mul': 'Mult', 'truediv': 'Div', 'floordiv': 'FloorDiv', 'mod': 'Mod',
    'pow': 'Pow', 'xor': 'BitXor', 'and_': 'BitAnd', 'or_': 'BitOr',
}


def _by_name(ask, operation):
    return lambda left, right: ask(operation, left, right)


#: Replacements for functions of the module `operator` in tests.
OPERATOR = {
    **{name: _by_name(compare, operation) for name, operation in _NAMED.items()},
    **{name: _by_name(binary, operation) for name, operation in _CALCULATED.items()},
    'contains': lambda holder, item: contains(item, holder), 'truth': truth, 'not_': lambda value: not truth(value),
    'countOf': lambda values, item: sum(compare('Eq', one, item) for one in values),
}
OPERATOR.update({'__%s__' % name.rstrip('_'): function for name, function in list(OPERATOR.items())})

_METHODS = {'__%s__' % name: operation for name, operation in _NAMED.items()}
_ASKING = ('startswith', 'endswith', 'issubset', 'issuperset', 'isdisjoint')
#: Names of methods that tests call through `method`, because they compare values.
METHODS = frozenset(('index', 'count', 'remove', '__contains__', *_METHODS, *_ASKING))


def method(value, name, *args, **named):
    """Implements `value.name(…)` for methods that compare values."""
    if name in _METHODS and len(args) == 1:
        return compare(_METHODS[name], value, args[0])
    if name == '__contains__' and len(args) == 1:
        return contains(args[0], value)
    if name in _ASKING:
        content = content_of(value) if kind_of(value) == FOREIGN else None
        asked = value if content is None or not hasattr(content[0], name) else content[0]
        return getattr(asked, name)(*args, **named)
    if kind_of(value) not in (LIST, TUPLE) or not args or plain(value) is value and plain(args[0]) is args[0]:
        return getattr(value, name)(*args, **named)
    if name != 'remove':
        return getattr(plain(value), name)(plain(args[0]), *args[1:])
    del value[list(plain(value)).index(plain(args[0]))]
