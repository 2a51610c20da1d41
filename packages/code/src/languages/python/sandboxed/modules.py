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
    """An import finder for modules from compiled sources. They take precedence over library modules of the same
    name."""

    def __init__(self):
        self._paths, self._packages, self._sources, self._compiled, self._main = {}, set(), {}, {}, None

    def hold(self, sources, compiled, main, alias=None):
        """Sets the sources. `main`: the file of the solution. `alias`: another name of the solution's module. Only
        the packages of the alias are found here; `run_solution` registers the module itself."""
        self._sources, self._compiled, self._main = sources, compiled, main
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
            # The solution gets Python's real builtins. Our own modules may have a separate copy.
            module.__dict__['__builtins__'] = vars(builtins)
            exec(self.code(path), module.__dict__)

    def code(self, path):
        if path not in self._compiled:
            self._compiled[path] = compile(self._sources[path], path, 'exec', dont_inherit=True)
        return self._compiled[path]

    def get_source(self, name):
        # If the solution is loaded under another name than its file, its source is that of the main file.
        return self._sources.get(self._paths.get(name, self._main))


def make_solution(finder, main):
    """Returns the main file as the module `solution`, before it has run."""
    spec = importlib.util.spec_from_loader(SOLUTION, finder, origin=main)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = main
    module.__dict__['__builtins__'] = vars(builtins)
    return module


def run_solution(module, finder, alias=None):
    """Runs the solution. It is also registered under the name of its file and under the name that the tests
    import."""
    main = module.__file__
    own = module_name(main)
    sys.modules[SOLUTION] = module
    if alias is not None:
        # The module gets this name, as if it had been imported by it, so that loggers and errors show it.
        module.__name__ = alias
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
