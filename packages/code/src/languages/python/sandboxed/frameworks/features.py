"""Finds features that tests need but Assay does not support, from the source, before any test runs.

Only certain findings are reported, and they do not depend on the answer. `wrong`: the feature is not supported at
all. `near`: it is supported only if tests run in the process of the solution.
"""
import ast
import builtins
import sys

from _assay import built_in, pytest_stub, test_source

#: Marks of pytest plugins that change how a test runs.
_PLUGIN_MARKS = frozenset(('django_db', 'freeze_time', 'vcr', 'benchmark', 'trio', 'docker'))
#: Tests may replace these, because the output of the solution is sent to the tests anyway.
_CARRIED = frozenset(('sys.stdout', 'sys.stderr'))
_PATCHING = frozenset(('setenv', 'delenv', 'chdir', 'syspath_prepend'))
#: Modules whose attributes tests replace to control the behavior of the solution.
_LED = frozenset(('builtins', 'sys', 'os', 'time', 'random', 'datetime', 'uuid', 'secrets', 'subprocess', 'socket'))
_LIBRARY = getattr(sys, 'stdlib_module_names', sys.builtin_module_names)


def check(tree, helpers, solution):
    """Returns `(kind, text)`, or None. `helpers`: syntax trees of further test files. `solution`: names of the
    solution's module."""
    found = _Findings(solution)
    trees = [tree, *helpers]
    for one in trees:
        found.read_names(one)
    for one in trees:
        found.read(one)
    if found.wrong:
        return 'wrong', 'they use %s, which Assay does not have' % found.wrong[0]
    if found.near:
        return 'near', found.near[0]
    return None


def _dotted(node):
    """Returns `a.b.c` for an expression of that form, else an empty string."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ''
    return '.'.join([node.id, *reversed(parts)])


def _text(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


class _Findings:
    def __init__(self, solution):
        self.solution, self.wrong, self.near = solution, [], []
        #: The full name behind each imported name: `unittest.mock.patch` for `patch` after `from unittest.mock import
        #: patch`.
        self.names, self.fixtures = {}, set(built_in.FIXTURES)
        #: `defined`: names that the tests bind. `others`: whether they import all names (`*`) of a module other than
        #: the solution.
        self.defined, self.others = set(), False

    # ── Names ────────────────────────────────────────────────────────────────────────────────────

    def read_names(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    self.names[one.asname or one.name.split('.')[0]] = one.name if one.asname else one.name.split('.')[0]
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    self.names[one.asname or one.name] = '%s.%s' % (node.module, one.name)
                    self.others = self.others or one.name == '*' and node.module not in self.solution
            elif isinstance(node, ast.ClassDef):
                self.defined.add(node.name)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.defined.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for one in node.decorator_list:
                    made = one.func if isinstance(one, ast.Call) else one
                    if _dotted(made).rpartition('.')[2].endswith('fixture'):
                        self.fixtures.add(node.name)
                        self.fixtures.update(
                            filter(None, [_text(k.value) for k in getattr(one, 'keywords', ()) if k.arg == 'name']))

        self.defined.update(self.names)

    def meaning(self, node):
        first, _, rest = _dotted(node).partition('.')
        whole = self.names.get(first, first)
        return whole + ('.' + rest if rest else '')

    def _is_nobodys(self, name):
        """True if the tests use the name without defining or importing it, so that only the solution can define
        it."""
        return name.isidentifier() and not self.others and name not in self.defined and not hasattr(builtins, name)

    def _is_solution(self, name):
        return any(name == one or name.startswith(one + '.') for one in self.solution)

    def _is_library(self, name):
        return name.split('.')[0] in _LIBRARY and not self._is_solution(name) and name not in _CARRIED

    # ── Statements ───────────────────────────────────────────────────────────────────────────────

    def read(self, tree):
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._hook(node)
                if node.name.startswith('test') and node.name not in test_source.called_helpers(tree):
                    self._arguments(node, 0, _marks_in(tree))
            elif isinstance(node, ast.ClassDef):
                self._class(node, _marks_in(tree))
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', '') == 'pytest_plugins':
                self.wrong.append('pytest_plugins')
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                self._attribute(node)
            elif isinstance(node, ast.ImportFrom) and node.module == 'pytest':
                self.wrong += ['pytest.%s' % one.name for one in node.names if one.name not in pytest_stub.NAMES]
            elif isinstance(node, ast.Call):
                self._call(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in self.fixtures:
                self._shares(one.arg for one in node.args.args)
            elif isinstance(node, ast.Assign):
                self._assignment(node)

    def _hook(self, node):
        if not node.name.startswith('pytest_'):
            return
        # A hook that only registers marks has no effect on tests, so it is allowed.
        said = [one.value if isinstance(one, ast.Expr) else one for one in node.body]
        registers = node.name == 'pytest_configure' and all(
            isinstance(one, ast.Constant)
            or isinstance(one, ast.Call) and _dotted(one.func).endswith('.addinivalue_line')
            for one in said
        )
        if not registers:
            self.wrong.append('the hook %s' % node.name)

    def _class(self, node, above):
        names = [self.meaning(base) for base in node.bases]
        for name in names:
            if name not in self.solution and self._is_solution(name) or self._is_nobodys(name):
                self.near.append('they derive a class from %s of the solution' % name.rpartition('.')[2])
        if node.name.startswith('Test') and not any(name.endswith('TestCase') for name in names):
            for one in node.body:
                if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith('test'):
                    self._arguments(one, 1, [*node.decorator_list, *_marks_in(node), *above])

    def _shares(self, names):
        for name in names:
            if name in built_in.SHARING:
                self.near.append('they use the fixture %s, so they share files with the solution' % name)

    def _arguments(self, node, first, above=()):
        """Finds arguments of a test that no fixture and no parameter provides."""
        args = node.args
        count = len(args.posonlyargs) + len(args.args) - len(args.defaults)
        names = [one.arg for one in [*args.posonlyargs, *args.args][first:count]]
        names += [one.arg for one, given in zip(args.kwonlyargs, args.kw_defaults) if given is None]
        self._shares(names)
        given = set()
        for one in [*node.decorator_list, *above]:
            name = self.meaning(one.func if isinstance(one, ast.Call) else one)
            if not name.startswith('pytest.mark.'):
                # A decorator that is not from pytest may provide arguments.
                return
            if name == 'pytest.mark.parametrize':
                listed = _listed(one)
                if listed is None:
                    return
                given.update(listed)
        for name in names:
            if name not in given and name not in self.fixtures and name not in self.names:
                self.wrong.append('the fixture %s' % name)

    # ── Expressions ──────────────────────────────────────────────────────────────────────────────

    def _attribute(self, node):
        name = self.meaning(node)
        parts = name.split('.')
        if parts[0] == 'pytest' and len(parts) == 2 and parts[1] not in pytest_stub.NAMES:
            self.wrong.append(name)
        if parts[:2] == ['pytest', 'mark'] and len(parts) == 3 and parts[2] in _PLUGIN_MARKS:
            self.wrong.append('the mark %s' % parts[2])

    def _call(self, node):
        name = self.meaning(node.func)
        last = name.rpartition('.')[2]
        target = node.args[0] if node.args else None
        meant = '' if target is None else _text(target) or self.meaning(target)
        if name.startswith('doctest.') and last in ('testmod', 'DocTestSuite') and meant in self.solution:
            self.wrong.append('%s with the solution, whose examples are its own,' % name)
        if name.startswith('tempfile.'):
            self._nearby('use %s, so they share files with the solution' % name)
        if name == 'random.seed':
            self._nearby('seed random numbers, which are those of one process')
        if name.startswith('monkeypatch.') and last in _PATCHING:
            self._nearby('change the environment (%s)' % name)
        if meant and self._patches(name, last) and self._is_library(meant):
            attribute = _text(node.args[1]) if len(node.args) > 1 and _text(target) is None else None
            whole = meant + ('.' + attribute if attribute else '')
            if whole not in _CARRIED:
                self._nearby('replace %s' % whole)

    def _patches(self, name, last):
        if name.startswith('unittest.mock.patch') or name.startswith('mock.patch'):
            return True
        return name.startswith('monkeypatch.') and last in ('setattr', 'delattr', 'setitem', 'delitem')

    def _assignment(self, node):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and _dotted(target).split('.')[0] in self.names:
                name = self.meaning(target)
                if self._is_library(name) and name.count('.') == 1 and name.split('.')[0] in _LED:
                    self._nearby('replace %s' % name)

    def _nearby(self, what):
        self.near.append('they %s' % what)


def _marks_in(node):
    """Returns the marks in `pytestmark` of a class or module."""
    found = []
    for one in node.body:
        if isinstance(one, ast.Assign) and getattr(one.targets[0], 'id', '') == 'pytestmark':
            found += one.value.elts if isinstance(one.value, (ast.List, ast.Tuple)) else [one.value]
    return found


def _listed(decorator):
    """Returns the argument names of a `parametrize`, or None if they are not literals in the source."""
    if not isinstance(decorator, ast.Call):
        return None
    found = decorator.args[0] if decorator.args else next(
        (one.value for one in decorator.keywords if one.arg == 'argnames'), None)
    text = None if found is None else _text(found)
    if text is not None:
        return [one.strip() for one in text.split(',')]
    if isinstance(found, (ast.List, ast.Tuple)) and all(_text(one) is not None for one in found.elts):
        return [_text(one) for one in found.elts]
    return None
