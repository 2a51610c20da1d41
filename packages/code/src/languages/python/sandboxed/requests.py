"""Executes requests of the other process on objects of this one.

The tester executes them only on objects that a test passed to the solution: functions can be called, and objects
can be used by their public names. The solution cannot reach the variables of the test through them.
"""
import copy
import math
import operator

from _assay.objects import FUNCTIONS, Objects
from _assay.values import Unreadable

_CHANGING = (list, dict, set)


def _leave(value, kind, error, traceback):
    return type(value).__exit__(value, kind, error, traceback)


_DO = {
    name: getattr(operator, name)
    for name in 'sub mul matmul truediv floordiv mod pow lshift rshift xor add lt le gt ge neg pos invert '
    'index isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift ixor iadd iand ior getitem setitem '
    'delitem length_hint'.split()
}
_DO.update(
    {
        'and': operator.and_, 'or': operator.or_, 'divmod': divmod, 'len': len, 'iter': iter,
        'reversed': reversed, 'abs': abs, 'int': int, 'float': float, 'complex': complex, 'bool': bool,
        'round': round, 'str': str, 'repr': repr, 'format': format, 'bytes': bytes, 'hash': hash, 'dir': dir,
        'next': next, 'trunc': math.trunc, 'floor': math.floor, 'ceil': math.ceil, 'copy': copy.copy,
        'deepcopy': copy.deepcopy, 'missing': lambda value, key: type(value).__missing__(value, key),
        'enter': lambda value: type(value).__enter__(value), 'exit': _leave,
        'aenter': lambda value: type(value).__aenter__(value),
        'aexit': lambda value, *why: type(value).__aexit__(value, *why),
        'aiter': lambda value: type(value).__aiter__(value),
        'anext': lambda value: type(value).__anext__(value),
    }
)


class Requests(Objects):
    def perform(self, operation, args):
        if operation == 'call':
            target, *args = args
            self._may_call(target)
            return target(*args)
        if operation == 'method' and not self.wary:
            value, name, *args = args
            return getattr(value, name)(*args)
        if operation == 'get':
            self._may(*args)
            return getattr(*args)
        if operation == 'call_named':
            target, named, *args = args
            self._may_call(target)
            return target(*args, **dict(named))
        if operation == 'do':
            name, *rest = args
            if self.wary and name in ('dir', 'deepcopy', 'copy', 'format'):
                raise TypeError('a test does not allow that')
            return _DO[name](*rest)
        if operation == 'eq':
            return tuple([_truth(lambda: args[0] == other) for other in args[1]])
        if operation == 'contains':
            return tuple([_caught(lambda: other in args[0]) for other in args[1]])
        if operation == 'next':
            return _take(*args)
        if operation == 'await':
            return run_awaitable(args[0])
        if operation == 'set':
            self._may(args[0], args[1])
            return setattr(*args)
        if operation == 'del':
            self._may(args[0], args[1])
            return delattr(*args)
        if operation == 'content':
            return _changing_content(args[0])
        raise Unreadable('no such request')

    def _may_call(self, value):
        if self.wary and id(value) not in self._numbers:
            raise TypeError('the test did not hand that over')

    def _may(self, value, name):
        if not self.wary:
            return
        self._may_call(value)
        if name.startswith('_') or name[2:] in _FRAMES or isinstance(value, FUNCTIONS):
            raise AttributeError('%r is not for the sample' % name)


_FRAMES = ('_frame', '_code', '_yieldfrom', '_await', '_origin')


def _changing_content(value):
    kind = type(value)
    base = next((one for one in kind.__mro__ if one in _CHANGING), None)
    if base is None or kind.__eq__ is not base.__eq__:
        return None
    return dict(dict.items(value)) if base is dict else base(base.__iter__(value))


def _truth(ask):
    try:
        return bool(ask())
    except Exception:
        return False


def _caught(ask):
    try:
        return bool(ask())
    except Exception as error:
        return error


def _take(iterator, count):
    taken = []
    try:
        while len(taken) < count:
            taken.append(next(iterator))
    except Exception as error:
        return tuple(taken), error
    return tuple(taken), None


_loop = None


def run_awaitable(value):
    """Runs an awaitable to its end, even from within a running event loop of this thread."""
    global _loop
    import asyncio
    from asyncio import events

    async def main():
        return await value

    running = events._get_running_loop()
    events._set_running_loop(None)
    if running is None and _loop is None:
        _loop = asyncio.new_event_loop()
    loop = _loop if running is None else asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main())
    finally:
        events._set_running_loop(running)
        if loop is not _loop:
            loop.close()
