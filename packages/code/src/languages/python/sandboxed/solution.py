"""The sample's own process: compiles it, loads it, and does with it what the tester asks.

What it says about compiling is said before any of the sample's code has run. After that nothing from here
is believed: what it sends are values, and values are compared elsewhere.
"""
import importlib
import io
import os
import sys
import types
import warnings

from _assay.modules import SOLUTION, FromMemory, make_solution, run_solution
from _assay.peer import Peer, Printed
from _assay.wire import Wire


def prepare(lines):
    """What a fork does with its wire; whatever it can have from the start is made here, once for all of them."""
    stage = Stage()
    # Without lines there are no tests.
    peer = Peer(Wire(*lines), False, stage.printed) if lines else None

    def module(name):
        return stage.module if name == SOLUTION else importlib.import_module(name)

    def load(*wanted):
        stage.load()
        space = vars(stage.module)
        return tuple(space), tuple([(name, space[name]) for name in wanted if type(space.get(name)) in _TOLD])

    def names(name):
        found = module(name)
        listed = getattr(found, '__all__', None)
        return tuple([n for n in vars(found) if n[0] != '_'] if listed is None else listed)

    if peer is not None:
        peer.offer(
            load=load,
            names=names,
            name_get=lambda name, what: getattr(module(name), what),
            name_set=lambda name, what, value: setattr(module(name), what, value),
            name_del=lambda name, what: delattr(module(name), what),
            importing=lambda name: module(name) and None,
        )

    def work(wire):
        if stage.begin(wire) is not None:
            peer.serve()

    return work


_MAIN = 'solution.py'
#: What is told before it is asked for: whoever looks at such a thing changes nothing.
_TOLD = (types.FunctionType, type)


class Stage:
    """Where one sample is compiled and loaded. Our own modules are nobody's business there."""

    def __init__(self):
        self.printed = Printed()
        self._finder, self._alias = FromMemory(), None
        self.module = make_solution(self._finder, _MAIN)
        sys.stdout = io.TextIOWrapper(self.printed, encoding='utf-8', errors='replace', write_through=True)
        sys.meta_path.insert(0, self._finder)
        # Their names are free for the sample's.
        for name in [name for name in sys.modules if name.split('.')[0] == '_assay']:
            del sys.modules[name]
        self._warnings = warnings.catch_warnings(record=True)
        self._caught = self._warnings.__enter__()
        warnings.simplefilter('always')

    def begin(self, wire):
        """Takes the task, says what the compiler says, and makes ready to load; None where that was all."""
        task = wire.read()
        sources = {path: text for path, text in task['files'].items() if path.endswith('.py')}
        compiled, report = self._check(sources, task['define'] and task['main'])
        wire.write(report)
        if not report['compiled'] or not task['run']:
            return None
        for path, text in task['support'].items():
            if not path.endswith('.py'):
                _place(path, text)
        self._alias = task.get('module')
        self._finder.hold({**task['support'], **sources}, compiled, self._alias)
        if task['main'] != _MAIN:
            self.module = make_solution(self._finder, task['main'])
        if task['path'] is not None:
            sys.path.insert(0, task['path'])
        return task

    def finds(self, name):
        """Whether a module of that name is the answer's or the case's."""
        return name in (SOLUTION, self._alias, 'pytest', '__future__') or self._finder.find_spec(name.partition('.')[0]) is not None

    def load(self):
        run_solution(self.module, self._finder, self._alias)

    def _check(self, sources, main):
        compiled, errors = {}, []
        for path, text in sources.items():
            try:
                compiled[path] = compile(text, path, 'exec', dont_inherit=True)
            except SyntaxError as error:
                errors.append(_finding(path, error.lineno, error.offset, type(error).__name__, error.msg))
            except (ValueError, RecursionError, MemoryError, OverflowError, SystemError) as error:
                errors.append(_finding(path, 1, 1, type(error).__name__, str(error) or 'cannot be compiled'))
        self._warnings.__exit__(None, None, None)
        notes = [
            _finding(one.filename, one.lineno, 1, one.category.__name__, str(one.message)) for one in self._caught
        ]
        report = {'compiled': not errors, 'errors': errors[:50], 'notes': notes[:50], 'defined': None}
        if main and not errors:
            report['defined'] = defined(sources[main])
        return compiled, report


def _finding(path, line, column, code, message):
    return {'file': path, 'line': line or 1, 'column': column or 1, 'code': code, 'message': message}


def defined(source):
    """Functions and classes of the top level, also within an `if` or `try` there."""
    import ast

    functions, types, waiting = [], [], list(ast.parse(source).body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.append(node.name)
        elif isinstance(node, ast.ClassDef):
            types.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            functions.extend(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            waiting[:0] = [
                *node.body, *getattr(node, 'orelse', []), *getattr(node, 'finalbody', []),
                *(inner for handler in getattr(node, 'handlers', []) for inner in handler.body),
            ]
    return {'functions': functions, 'types': types}


def _place(path, text):
    """A file of the case's that is no module, in the working folder."""
    try:
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    except OSError:
        pass
