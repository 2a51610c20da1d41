"""The solution's process: compiles and loads the solution, and executes the tester's requests.

The compile result is sent before any code of the solution has run. After that, nothing from this process is
trusted: it only sends values, and the tester compares them.
"""
import importlib
import os
import sys
import types
import warnings

from _assay.modules import SOLUTION, FromMemory, make_solution, run_solution
from _assay.outlet import Outlet
from _assay.peer import Peer
from _assay.wire import Wire


def prepare(lines):
    """Returns the function that a fork runs. It gets the fork's connection to the host, a `Wire`. Everything that
    all forks can share is created here once."""
    stage = Stage()
    # Without lines there is no tester, so no tests are run.
    peer = Peer(Wire(*lines), False, stage.outlet) if lines else None

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
            watch=stage.outlet.watch,
        )

    def work(wire):
        if stage.begin(wire) is not None:
            peer.serve()

    return work


_MAIN = 'solution.py'
#: Types of values that are sent before the tests request them. Reading a function or a class has no side effects.
_TOLD = (types.FunctionType, type)


class Stage:
    """Compiles and loads one solution. Hides our own modules from it."""

    def __init__(self):
        self.outlet = Outlet()
        self._finder, self._alias = FromMemory(), None
        self.module = make_solution(self._finder, _MAIN)
        sys.meta_path.insert(0, self._finder)
        # Our modules are removed, so that the solution cannot use them and can define modules with these names.
        for name in [name for name in sys.modules if name.split('.')[0] == '_assay']:
            del sys.modules[name]
        self._warnings = warnings.catch_warnings(record=True)
        self._caught = self._warnings.__enter__()
        warnings.simplefilter('always')

    def begin(self, wire):
        """Reads the task, reports compile errors, and prepares loading. Returns None if there is nothing to run."""
        task = wire.read()
        sources = {path: text for path, text in task['files'].items() if path.endswith('.py')}
        compiled, report = self._check(sources, task['define'] and task['main'])
        wire.write(report)
        if not report['compiled'] or not task['run']:
            # The host ends this process. If it ended by itself, the host could hear of that before it reads the report.
            wire.read()
            return None
        for path, text in task['support'].items():
            if not path.endswith('.py'):
                _place(path, text)
        self._alias = task.get('module')
        self._finder.hold({**task['support'], **sources}, compiled, task['main'], self._alias)
        if task['main'] != _MAIN:
            self.module = make_solution(self._finder, task['main'])
        if task['path'] is not None:
            sys.path.insert(0, task['path'])
        return task

    def finds(self, name):
        """True if the name belongs to the answer, to the case, or to a module that Assay provides to the tests."""
        return name in (SOLUTION, self._alias, 'pytest', 'pytest_asyncio', '__future__') or self._finder.find_spec(name.partition('.')[0]) is not None

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
    """Returns the names of functions and classes at top level, including those within an `if` or `try` there."""
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
    """Writes a file of the case that is not a module to the working folder."""
    try:
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    except OSError:
        pass
