"""Records the classes and code that existed before the answer was loaded, for tests that run in its process.

They belong to Python, its library or Assay. A class that can be changed is trusted only while its methods in
`_TELLING` are the original ones. Everything is compared by identity, because a class of the answer may claim any
name, module or equality.
"""
import gc
import sys
import types

_flags = type.__dict__['__flags__'].__get__
mro_of = type.__dict__['__mro__'].__get__
dict_of = type.__dict__['__dict__'].__get__
_HEAP = 1 << 9
#: The type flag for classes that cannot be changed (Python 3.10 and later). C modules of the library may create such
#: classes at run time.
_IMMUTABLE = 1 << 8 if sys.version_info >= (3, 10) else 0

#: Methods that Python calls when a test compares or inspects an object.
_TELLING = tuple(
    '__%s__' % name
    for name in 'eq ne lt le gt ge hash bool len iter next contains getitem getattr getattribute class '
    'instancecheck subclasscheck sub rsub add radd truediv rtruediv abs round'.split()
)

_classes, _own, _codes, _kept = {}, {}, {}, []


def take():
    """Trusts everything that exists now. No code of the answer may have run yet."""
    for one in gc.get_objects():
        kind = type(one)
        if kind is types.FunctionType:
            trust_code(one.__code__)
        elif type in mro_of(kind):
            trust_class(one)


def trust_class(kind):
    if not is_fixed(kind):
        _classes[id(kind)] = (kind, _methods(kind))
    return kind


def trust_own(kind):
    """Trusts a class of the tests, or one of Assay's that is made to be compared with any object."""
    _own[id(kind)] = kind
    return trust_class(kind)


def is_own(kind):
    """True if the class belongs to the tests, so that its equality is trusted."""
    return id(kind) in _own and is_trusted(kind)


def trust_code(code):
    if id(code) in _codes:
        return
    _codes[id(code)] = code
    for one in code.co_consts:
        if type(one) is types.CodeType:
            trust_code(one)


def _methods(kind):
    body = dict_of(kind)
    found = [body.get(name) for name in _TELLING]
    return found, [one.__code__ if type(one) is types.FunctionType else None for one in found]


def is_fixed(kind):
    """True if no Python code can have created or changed the class."""
    flags = _flags(kind)
    return not flags & _HEAP or bool(flags & _IMMUTABLE)


def is_trusted(kind):
    """True if neither the class, nor its bases, nor its metaclass belong to the answer."""
    if not _is_unchanged(type(kind)):
        return False
    for one in mro_of(kind):
        if not _is_unchanged(one):
            return False
    return True


def _is_unchanged(kind):
    if is_fixed(kind):
        return True
    known = _classes.get(id(kind))
    if known is None or known[0] is not kind:
        return False
    (before, codes), (now, now_codes) = known[1], _methods(kind)
    for index in range(len(before)):
        if before[index] is not now[index] or codes[index] is not now_codes[index]:
            return False
    return True


def is_class(value):
    return type in mro_of(type(value))


def method_owner(kind, name):
    """Returns the class that defines the method, in method resolution order, or None."""
    for one in mro_of(kind):
        if name in dict_of(one):
            return one
    return None


def came_from_answer(error):
    """True if the traceback contains code that does not belong to the tests, the library or Assay."""
    traceback = error.__traceback__
    while traceback is not None:
        if id(traceback.tb_frame.f_code) not in _codes:
            return True
        traceback = traceback.tb_next
    return False


# ── Modules ──────────────────────────────────────────────────────────────────────────────────────


def keep(things):
    """Remembers the functions and classes in these modules and classes, so that the answer's changes can be
    undone."""
    for thing in things:
        _kept.append((thing, [(name, value) for name, value in vars(thing).items() if callable(value)]))


def keep_module(module):
    """Also remembers the methods of the classes that the module defines."""
    own = [one for one in vars(module).values() if is_class(one) and one.__module__ == module.__name__]
    keep([module, *[one for one in own if not is_fixed(one)]])


def restore():
    """Restores the functions and classes that the answer replaced while it was loaded."""
    for thing, names in _kept:
        for name, value in names:
            try:
                if vars(thing).get(name, _kept) is not value:
                    setattr(thing, name, value)
            except (AttributeError, TypeError):
                pass
    sys.settrace(None)
    sys.setprofile(None)
