"""Turns test source into tests: the supported forms, and how each is run.

The forms are `unittest.TestCase` classes, pytest-style functions and classes, `check(candidate)`, and plain scripts
of asserts. A test is a name and a function to run. The list is complete before the first test runs.
"""
import ast
import importlib.util
import inspect
import sys
import types
import unittest

from _assay import cases, fixtures
from _assay.failure import FILE
from _assay.fixtures import Test

# ── From the syntax tree alone ───────────────────────────────────────────────────────────────────


def form(tree, entry_point):
    if entry_point and any(isinstance(node, ast.FunctionDef) and node.name == 'check' for node in tree.body):
        return 'check'
    if _written(tree):
        return 'suite'
    if all(isinstance(node, _IDLE) or _is_text(node) for node in tree.body):
        return 'nothing'
    return 'asserts' if _flat(tree) else 'script'


#: Statements that do not test anything by themselves.
_IDLE = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign,
    ast.AnnAssign, ast.Pass,
)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_empty(source, entry_point):
    return form(source.tree, entry_point) == 'nothing'


def written_names(source, entry_point):
    """Returns the names of the tests if they cannot be loaded. A parametrized test is listed once."""
    tree = source.tree
    kind = form(tree, entry_point)
    if kind == 'suite':
        return _written(tree)
    if kind == 'asserts':
        return unique([_shown(node) for node in tree.body if isinstance(node, ast.Assert)])
    return [] if kind == 'nothing' else [kind]


def _written(tree):
    names, classes = [], {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test'):
            names.append(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [
                one.name
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith('test')
            ]
            bases = [base.id if isinstance(base, ast.Name) else getattr(base, 'attr', '') for base in node.bases]
            case = any(base.endswith('TestCase') or classes.get(base, (0, 0))[1] for base in bases)
            inherited = [name for base in bases for name in classes.get(base, ([],))[0]]
            classes[node.name] = ([*methods, *(n for n in inherited if n not in methods)], case)
            if case or node.name.startswith('Test'):
                names.extend('%s.%s' % (node.name, method) for method in classes[node.name][0])
    return names


def _flat(tree):
    """True if every assert is at top level. Then each assert is a separate test."""
    asserts = [node for node in tree.body if isinstance(node, ast.Assert)]
    for node in tree.body:
        if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                return False
    return bool(asserts)


def _shown(node):
    text = node.assay_text
    return text if len(text) <= 120 else text[:119] + '…'


def unique(names):
    seen, made = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else '%s #%d' % (name, seen[name]))
    return made


_BODIES = ('body', 'orelse', 'finalbody', 'handlers', 'cases')


class Source:
    """The syntax tree of the tests, and facts collected in one walk over it."""

    def __init__(self, text, guarded=None):
        """`guarded` is an additional transformation of the tree before it is compiled."""
        self.tree = ast.parse(text, FILE)
        self.asserts, self.bound = [], set()
        # Computed on first use. A tester needs them again for every solution.
        self._used = self._bare = self._roots = None
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.bound.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.bound.update((one.asname or one.name).split('.')[0] for one in node.names)
            elif isinstance(node, ast.Assign):
                self.bound.update(one.id for one in node.targets if type(one) is ast.Name)
        # Visit statements only: most of a tree is expressions, and an assert is a statement.
        waiting = [self.tree]
        while waiting:
            node = waiting.pop()
            if type(node) is ast.Assert:
                self.asserts.append(node)
                continue
            for part in _BODIES:
                waiting.extend(getattr(node, part, ()))
        lines = text.splitlines() if self.asserts else []
        for node in self.asserts:
            node.assay_text = _text_of(node, lines)
        self._explain()
        if 'exit' in text or 'quit' in text or 'Exit' in text:
            self.tree = ast.fix_missing_locations(_Leaving().visit(self.tree))
        if guarded is not None:
            self.tree = guarded(self.tree)
        self.code = compile(self.tree, FILE, 'exec', dont_inherit=True)

    def missing(self):
        """Returns the first module that is imported at top level and does not exist."""
        if self._roots is None:
            self._roots = []
            for node in self.tree.body:
                if type(node) is ast.Import:
                    self._roots += [one.name.split('.')[0] for one in node.names]
                elif type(node) is ast.ImportFrom and node.level == 0:
                    self._roots.append(node.module.split('.')[0])
        return next((name for name in self._roots if name not in sys.modules and not _is_there(name)), None)

    def imports(self):
        """Returns the modules that are imported by name."""
        names = set()
        for node in ast.walk(self.tree):
            if type(node) is ast.Import:
                names.update(one.name for one in node.names)
            elif type(node) is ast.ImportFrom and node.level == 0:
                names.add(node.module)
                # `from unittest import mock` imports a module too.
                names.update('%s.%s' % (node.module, one.name) for one in node.names if node.module == 'unittest')
        return sorted(names)

    def used(self):
        """Returns names that are read but not bound at top level, including attribute names."""
        if self._used is None:
            names, waiting = set(), [self.code]
            while waiting:
                code = waiting.pop()
                names.update(code.co_names)
                waiting.extend(one for one in code.co_consts if type(one) is type(code))
            self._used = names - self.bound
        return self._used

    def only_dotted(self, name):
        """True if the name is only ever used before a dot."""
        if self._bare is None:
            stand, dotted = {}, {}
            for node in ast.walk(self.tree):
                if type(node) is ast.Name:
                    stand[node.id] = stand.get(node.id, 0) + 1
                elif type(node) is ast.Attribute and type(node.value) is ast.Name:
                    dotted[node.value.id] = dotted.get(node.value.id, 0) + 1
            self._bare = {one for one, count in stand.items() if count != dotted.get(one, 0)}
        return name not in self._bare

    def _explain(self):
        """Makes a failing `assert a == b` show the values of a and b."""
        for node in self.asserts:
            test = node.test
            if node.msg is not None:
                said = ast.copy_location(ast.Name('__assay_message__', ast.Load()), node)
                text = ast.copy_location(ast.Constant(_condition(node.assay_text)), node)
                node.msg = ast.copy_location(ast.Call(said, [node.msg, text], []), node)
                continue
            if type(test) is not ast.Compare or len(test.ops) != 1:
                node.msg = ast.copy_location(ast.Constant(node.assay_text), node)
                continue
            name = ast.copy_location(ast.Name('__assay_compare__', ast.Load()), node)
            sign = ast.copy_location(ast.Constant(type(test.ops[0]).__name__), node)
            node.test = ast.copy_location(ast.Call(name, [sign, test.left, test.comparators[0]], []), node)


def _is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Leaving(ast.NodeTransformer):
    """Replaces `sys.exit` calls of the tests with an exit that the answer cannot imitate: `sys.exit(0)` in a main
    block is not a failure."""

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        is_exit = type(function) is ast.Attribute and function.attr == 'exit'
        if (
            is_exit and getattr(function.value, 'id', '') == 'sys'
            or type(function) is ast.Name and function.id in ('exit', 'quit')
        ):
            node.func = ast.copy_location(ast.Name('__assay_leave__', ast.Load()), function)
        return node

    def visit_Raise(self, node):
        self.generic_visit(node)
        made = node.exc.func if type(node.exc) is ast.Call else node.exc
        if type(made) is ast.Name and made.id == 'SystemExit':
            args = node.exc.args if type(node.exc) is ast.Call else []
            called = ast.Call(ast.Name('__assay_leave__', ast.Load()), args, [])
            return ast.copy_location(ast.Expr(ast.copy_location(called, node)), node)
        return node


class _Left(SystemExit):
    """Raised when the tests end themselves."""


def _condition(text):
    """Returns the asserted condition without its message, if both are on one line."""
    try:
        return ast.unparse(ast.parse(text).body[0].test)
    except (SyntaxError, ValueError, IndexError, AttributeError, RecursionError):
        return text


def _message(message, text):
    return '%s (%s)' % (message, text)


def _leave(code=None):
    raise _Left(code)


def _execute(code, space):
    """Runs the statements of the tests, up to the point where they end themselves."""
    try:
        exec(code, space)
    except _Left as left:
        code = left.code
        # Check the type first: a value of the answer may claim to be equal to anything.
        if code is not None and (type(code) not in (int, bool) or code != 0):
            raise AssertionError('the tests ended with the exit code %s' % _short(code)) from None


def _text_of(node, lines):
    line = lines[node.lineno - 1].encode() if node.lineno <= len(lines) else b''
    end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
    return line[node.col_offset:end].decode('utf-8', 'ignore').strip()


def compared(operation, left, right):
    """Replaced if the tests run in the answer's process."""
    return _OPERATIONS[operation](left, right)


def compare(operation, left, right):
    kept = compared(operation, left, right)
    if not kept:
        raise AssertionError('%s %s %s%s' % (_short(left), _SIGNS[operation], _short(right), note(left, right)))
    return kept


def note(left, right):
    """Returns an additional remark for the reader. Replaced if the tests run in the answer's process."""
    return ''


_OPERATIONS = {
    'Eq': lambda a, b: a == b, 'NotEq': lambda a, b: a != b, 'Lt': lambda a, b: a < b,
    'LtE': lambda a, b: a <= b, 'Gt': lambda a, b: a > b, 'GtE': lambda a, b: a >= b,
    'Is': lambda a, b: a is b, 'IsNot': lambda a, b: a is not b, 'In': lambda a, b: a in b,
    'NotIn': lambda a, b: a not in b,
}
_SIGNS = {
    'Eq': '==', 'NotEq': '!=', 'Lt': '<', 'LtE': '<=', 'Gt': '>', 'GtE': '>=', 'Is': 'is',
    'IsNot': 'is not', 'In': 'in', 'NotIn': 'not in',
}


def _short(value):
    try:
        text = repr(value)
    except Exception as error:
        text = '<%s without a repr>' % type(error).__name__
    return text if len(text) <= 200 else text[:199] + '…'


parse = Source


#: Functions that rewritten tests call.
HELPERS = {'__assay_compare__': compare, '__assay_leave__': _leave, '__assay_message__': _message}


# ── Loading and running ──────────────────────────────────────────────────────────────────────────


def load(source, entry_point, space):
    """Runs the source if its form requires that, and yields its tests."""
    tree = source.tree
    kind = form(tree, entry_point)
    space.update(HELPERS)
    texts = [_shown(node) for node in tree.body if isinstance(node, ast.Assert)]
    if kind == 'asserts':
        return _assert_tests(tree, texts, space)
    code = source.code
    if kind == 'nothing':
        return []
    if kind == 'script':
        return [Test('script', lambda: _execute(code, space))]
    if kind == 'check':

        def check():
            # The source may define the entry point too, as a stub. Only the solution's version counts.
            candidate = space[entry_point]
            _execute(code, space)
            space[entry_point] = candidate
            space['check'](candidate)

        return [Test('check', check)]
    _execute(code, space)
    return _suite(space)


def _assert_tests(tree, texts, space):
    state = {'failed': None}

    def step(before, final, after):
        def run():
            if state['failed'] is not None:
                raise state['failed']
            for node in before:
                try:
                    _execute_node(node, space)
                except BaseException as error:
                    state['failed'] = error
                    raise
            for node in [final, *after]:
                _execute_node(node, space)

        return run

    steps, before = [], []
    for node in tree.body:
        if isinstance(node, ast.Assert):
            steps.append((before, node))
            before = []
        else:
            before.append(node)
    # Statements after the last assert belong to its test: a call there may be the most important check.
    afters = [()] * (len(steps) - 1) + [before]
    return [Test(name, step(*one, after)) for name, one, after in zip(unique(texts), steps, afters)]


def _execute_node(node, space):
    _execute(compile(ast.Module([node], []), FILE, 'exec', dont_inherit=True), space)


def _suite(space):
    tests, context = [], fixtures.Context(space)
    for name, value in list(space.items()):
        if inspect.isclass(value) and issubclass(value, unittest.TestCase):
            if value.__module__ == space['__name__']:
                tests.extend(cases.expand(name, value))
        elif inspect.isclass(value) and name.startswith('Test') and value.__module__ == space['__name__']:
            tests.extend(_class_tests(name, value, context))
        elif name.startswith('test') and inspect.isfunction(value):
            tests.extend(fixtures.expand(name, value, context, None))
    return context.closing(tests, None)


def _class_tests(name, kind, context):
    found = []
    order = [one for base in reversed(kind.__mro__) for one in vars(base)]
    for method in dict.fromkeys(order):
        function = inspect.getattr_static(kind, method, None)
        if method.startswith('test') and inspect.isfunction(function):
            found.extend(fixtures.expand('%s.%s' % (name, method), function, context, kind))
    return context.closing(found, kind)


def main_module():
    """Returns the variables of a new main module. Tests run in it, so that `if __name__ == '__main__'` is true."""
    module = types.ModuleType('__main__')
    module.__file__ = 'tests.py'
    sys.modules['__main__'] = sys.modules['tests'] = module
    return module.__dict__


def stop_main():
    """Makes `unittest.main` do nothing, so that a test file with its own runner still loads. Its tests run one by
    one."""
    unittest.main = lambda *args, **kwargs: types.SimpleNamespace(result=unittest.TestResult())
    sys.argv = ['tests.py']
