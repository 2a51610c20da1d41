"""Makes the files of the answer and of the case importable by name without a file system."""
import builtins
import importlib
import importlib.util
import sys

SOLUTION = 'solution'


def module_name(path):
    """Turns `shapes/circle.py` into `shapes.circle` and `shapes/__init__.py` into `shapes`. Returns None for other
    files."""
    if not path.endswith('.py'):
        return None
    parts = path[:-3].split('/')
    if parts[-1] == '__init__' and len(parts) > 1:
        parts.pop()
    return '.'.join(parts) if all(part.isidentifier() for part in parts) else None


def parents(name):
    """Returns the packages around a module: for `a.b.c` these are `a` and `a.b`."""
    parts = name.split('.')
    return ['.'.join(parts[:end]) for end in range(1, len(parts))]


class FromMemory:
    """Finds modules among compiled sources. They take precedence over library modules of the same name."""

    def __init__(self):
        self._paths, self._packages, self._sources, self._compiled = {}, set(), {}, {}

    def hold(self, sources, compiled, alias=None):
        """`alias`: another name of the solution's module. Only the packages around it are found here."""
        self._sources, self._compiled = sources, compiled
        if alias is not None:
            self._packages.update(parents(alias))
        for path in sources:
            name = module_name(path)
            if name is None:
                continue
            self._paths[name] = path
            if path.endswith('/__init__.py'):
                self._packages.add(name)
            self._packages.update(parents(name))

    def find_spec(self, name, path=None, target=None):
        if name not in self._paths and name not in self._packages:
            return None
        return importlib.util.spec_from_loader(
            name, self, origin=self._paths.get(name), is_package=name in self._packages
        )

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = self._paths.get(module.__name__)
        if path is not None:
            # Use the real builtins, not the copy that our own modules may have.
            module.__dict__['__builtins__'] = vars(builtins)
            exec(self.code(path), module.__dict__)

    def code(self, path):
        if path not in self._compiled:
            self._compiled[path] = compile(self._sources[path], path, 'exec', dont_inherit=True)
        return self._compiled[path]

    def get_source(self, name):
        return self._sources[self._paths[name]]


def make_solution(finder, main):
    """Returns the main file as the module `solution`, before it has run."""
    spec = importlib.util.spec_from_loader(SOLUTION, finder, origin=main)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = main
    module.__dict__['__builtins__'] = vars(builtins)
    return module


def run_solution(module, finder, alias=None):
    """Runs the solution. It is also registered under the file's own name and the name that the tests use."""
    main = module.__file__
    own = module_name(main)
    sys.modules[SOLUTION] = module
    if alias is not None:
        sys.modules[alias] = module
        package, _, last = alias.rpartition('.')
        if package:
            setattr(importlib.import_module(package), last, module)
    if own:
        sys.modules[own] = module
        package = own.rpartition('.')[0]
        if package:
            module.__package__ = package
    exec(finder.code(main), module.__dict__)
