"""Reads test source: its form, the names of its tests, and its compiled code.

The forms are `unittest.TestCase` classes, pytest-style functions and classes, `check(candidate)`, and plain
scripts of asserts.
"""
import ast
import importlib.util
import sys

from _assay.failure import FILE

# ── From the syntax tree alone ───────────────────────────────────────────────────────────────────


def form(tree, entry_point):
    if entry_point and any(isinstance(node, ast.FunctionDef) and node.name == 'check' for node in tree.body):
        return 'check'
    if _written(tree):
        return 'suite'
    if all(isinstance(node, _IDLE) or _is_text(node) for node in tree.body):
        return 'nothing'
    return 'asserts' if _flat(tree) else 'script'


#: unittest's protocol: a function of this name returns the test suite.
LOAD_TESTS = 'load_tests'
#: Statements that check nothing by themselves.
_IDLE = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign,
    ast.AnnAssign, ast.Pass,
)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_empty(source, entry_point):
    return form(source.tree, entry_point) == 'nothing'


def written_names(source, entry_point):
    """Returns the names of the tests from the syntax alone, for tests that cannot be loaded. A parametrized test
    is listed once."""
    tree = source.tree
    kind = form(tree, entry_point)
    if kind == 'suite':
        return _written(tree)
    if kind == 'asserts':
        return unique([shown(node) for node in tree.body if isinstance(node, ast.Assert)])
    return [] if kind == 'nothing' else [kind]


def _written(tree):
    names, classes = [], {}
    if any(isinstance(node, ast.FunctionDef) and node.name == LOAD_TESTS for node in tree.body):
        return [LOAD_TESTS]
    helpers = called_helpers(tree)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test'):
            if node.name not in helpers:
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


def called_helpers(tree):
    """Returns functions that are named like tests but are helpers: they take arguments, are called by other
    functions, and use no fixtures."""
    named = {
        node.name for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith('test') and not node.decorator_list
        and len(node.args.args) > len(node.args.defaults)
    }
    if not named:
        return named
    called = {getattr(node.func, 'id', '') for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return named & called


def _flat(tree):
    """True if every assert is at top level. Then each assert is a separate test."""
    asserts = [node for node in tree.body if isinstance(node, ast.Assert)]
    for node in tree.body:
        if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                return False
    return bool(asserts)


def shown(node):
    text = node.assay_text
    return text if len(text) <= 120 else text[:119] + '…'


def unique(names):
    seen, made = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else '%s #%d' % (name, seen[name]))
    return made


_USES = {'logging': ('caplog', 'assertLogs', 'assertNoLogs'), 'warnings': ('warns', 'Warns', 'recwarn')}
_BODIES = ('body', 'orelse', 'finalbody', 'handlers', 'cases')


class Source:
    """The syntax tree of the tests, and facts collected in one walk over it."""

    def __init__(self, text, guarded=None, file=FILE):
        """`guarded` is a function that transforms the tree further before it is compiled."""
        self.text, self.tree = text, ast.parse(text, file)
        self.asserts, self.bound = [], set()
        # These are computed on first use and kept, because a tester needs them for every solution.
        self._used = self._bare = self._roots = None
        if 'from .' in text:
            self.tree = ast.fix_missing_locations(_Absolute().visit(self.tree))
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.bound.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.bound.update((one.asname or one.name).split('.')[0] for one in node.names)
            elif isinstance(node, ast.Assign):
                self.bound.update(one.id for one in node.targets if type(one) is ast.Name)
        # Only statements are visited, because an assert is a statement and most of a tree is expressions.
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
        self.code = compile(self.tree, file, 'exec', dont_inherit=True)

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
        # Modules that the test framework itself needs for such tests.
        names.update(name for name, used in _USES.items() if any(word in self.text for word in used))
        return sorted(names)

    def used(self):
        """Returns the names that are read but not bound at top level, including attribute names."""
        if self._used is None:
            names, waiting = set(), [self.code]
            while waiting:
                code = waiting.pop()
                names.update(code.co_names)
                waiting.extend(one for one in code.co_consts if type(one) is type(code))
            self._used = names - self.bound
        return self._used

    def only_dotted(self, name):
        """True if the name is used only before a dot, as in `math.pi`."""
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


class _Absolute(ast.NodeTransformer):
    """Makes relative imports absolute, because the tests are not in a package when they run here."""

    def visit_ImportFrom(self, node):
        if node.level and node.module is None:
            return ast.copy_location(ast.Import(node.names), node)
        node.level = 0
        return node


class _Leaving(ast.NodeTransformer):
    """Replaces `sys.exit` calls of the tests with a special exit. So `sys.exit(0)` in a main block of the tests is
    not a failure, and a solution cannot end the tests successfully with its own `sys.exit(0)`."""

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
    """Raised when the tests themselves call `sys.exit`."""


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


def execute(code, space):
    """Runs the statements of the tests until their end or until they call `sys.exit`."""
    try:
        exec(code, space)
    except _Left as left:
        code = left.code
        # The type is checked first, because a value of the answer may claim to be equal to anything.
        if code is not None and (type(code) not in (int, bool) or code != 0):
            raise AssertionError('the tests ended with the exit code %s' % short(code)) from None


def _text_of(node, lines):
    line = lines[node.lineno - 1].encode() if node.lineno <= len(lines) else b''
    end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
    return line[node.col_offset:end].decode('utf-8', 'ignore').strip()


def compared(operation, left, right):
    """Compares two values. Replaced if the tests run in the answer's process."""
    return _OPERATIONS[operation](left, right)


def compare(operation, left, right):
    kept = compared(operation, left, right)
    if not kept:
        raise AssertionError('%s %s %s%s' % (short(left), _SIGNS[operation], short(right), note(left, right)))
    return kept


def note(left, right):
    """Returns an additional remark for the error message. Replaced if the tests run in the answer's process."""
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


def short(value):
    try:
        text = repr(value)
    except Exception as error:
        text = '<%s without a repr>' % type(error).__name__
    return text if len(text) <= 200 else text[:199] + '…'


#: Functions that rewritten tests call.
HELPERS = {'__assay_compare__': compare, '__assay_leave__': _leave, '__assay_message__': _message}
