"""Files of the case that belong to its tests: `conftest.py`, other test files, and helpers that use a test
framework.

They are loaded in the process of the tests, and the solution never sees them.
"""
import importlib.util
import sys
import types

from _assay import test_source
from _assay.modules import module_name, parents


class HelperFiles:
    def __init__(self, files, guarded=None, builtins=None):
        """`guarded`: see `test_source.Source`. `builtins`: functions that replace Python's built-in functions."""
        self.sources, self._builtins, self._modules = {}, builtins, {}
        for path, text in sorted((files or {}).items(), key=lambda pair: (pair[0].count('/'), pair[0])):
            name = module_name(path)
            if name is not None:
                self.sources[name] = test_source.Source(text, guarded, '<%s>' % path)
                # pytest adds the folder of each file to `sys.path`, so the file can also be imported by its last
                # name.
                self.sources.setdefault(name.rpartition('.')[2], self.sources[name])
        self._packages = {package for name in self.sources for package in parents(name)}

    def find_spec(self, name, path=None, target=None):
        if name in self.sources or name in self._packages:
            return importlib.util.spec_from_loader(name, self, is_package=name in self._packages)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        source = self.sources.get(module.__name__)
        if source is not None:
            space = module.__dict__
            space.update(test_source.HELPERS)
            if self._builtins is not None:
                space['__builtins__'] = self._builtins
            exec(source.code, space)

    def module(self, name):
        """Returns a module of these files, or None. Does not use the import system."""
        if name not in self.sources:
            return None
        if name not in self._modules:
            # The module is registered in `sys.modules`, so that tests that import it get the same module.
            module = self._modules[name] = sys.modules[name] = types.ModuleType(name)
            module.__spec__ = self.find_spec(name)
            self.exec_module(module)
        return self._modules[name]

    def settings(self):
        """Returns the variables of the `conftest` files, the outermost first."""
        names = [name for name in self.sources if name.rpartition('.')[2] == 'conftest']
        seen, found = set(), []
        for name in names:
            if id(self.sources[name]) not in seen:
                seen.add(id(self.sources[name]))
                found.append(vars(self.module(name)))
        return found

    def forget(self):
        """Forgets the modules that were loaded for the last solution."""
        self._modules = {}

    def install(self):
        sys.meta_path.insert(0, self)
        if any(name.startswith('tests.') for name in self.sources):
            # The test module itself is named `tests`. It must also be a package, so that `tests.helper` can be
            # imported.
            sys.modules['tests'].__path__ = []
