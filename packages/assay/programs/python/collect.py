"""From test source to tests: what forms people write them in, and how each is run.

`unittest.TestCase` classes, pytest-style functions and classes, `check(candidate)`, and plain scripts of
asserts. A test is a name and something to run; the list is complete before the first one runs.
"""
import ast
import inspect
import sys
import unittest

from _assay import fixtures, standin

FILE = '<tests>'


class Test:
    """`base`: the name as it stands in the source, without its parameters."""

    __slots__ = ('name', 'base', 'run')

    def __init__(self, name, run, base=None):
        self.name, self.run, self.base = name, run, base or name


# ── By the syntax tree alone ─────────────────────────────────────────────────────────────────────


def form(tree, entry_point):
    if entry_point and any(isinstance(node, ast.FunctionDef) and node.name == 'check' for node in tree.body):
        return 'check'
    if _written(tree):
        return 'suite'
    if all(isinstance(node, _IDLE) or _is_text(node) for node in tree.body):
        return 'nothing'
    return 'asserts' if _flat(tree) else 'script'


#: Statements that test nothing by themselves.
_IDLE = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign,
    ast.AnnAssign, ast.Pass,
)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def written_names(tree, entry_point):
    """Names of the tests, where they cannot be loaded; each with all of its parameters once."""
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
    """Whether every assert stands at the top: then each is a test of its own."""
    asserts = [node for node in tree.body if isinstance(node, ast.Assert)]
    for node in tree.body:
        if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                return False
    return bool(asserts)


def _shown(node):
    text = getattr(node, 'assay_text', 'assert')
    return text if len(text) <= 120 else text[:119] + '…'


def unique(names):
    seen, made = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else '%s #%d' % (name, seen[name]))
    return made


class _Explain(ast.NodeTransformer):
    """`assert a == b` says what a and b were."""

    def visit_Assert(self, node):
        self.generic_visit(node)
        test = node.test
        if node.msg is not None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
            if node.msg is None:
                node.msg = ast.copy_location(ast.Constant(getattr(node, 'assay_text', '')), node)
            return node
        call = ast.Call(
            ast.Name('__assay_compare__', ast.Load()),
            [ast.Constant(type(test.ops[0]).__name__), test.left, test.comparators[0]],
            [],
        )
        return ast.fix_missing_locations(ast.copy_location(ast.Assert(call, None), node))


def compare(operation, left, right):
    kept = _OPERATIONS[operation](left, right)
    if not kept:
        raise AssertionError('%s %s %s' % (_short(left), _SIGNS[operation], _short(right)))
    return kept


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


def parse(source):
    tree = ast.parse(source, FILE)
    lines = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            end = getattr(node, 'end_lineno', node.lineno)
            text = lines[node.lineno - 1].encode()[node.col_offset:].decode() if node.lineno <= len(lines) else ''
            if end == node.lineno:
                text = text.encode()[: node.end_col_offset - node.col_offset].decode('utf-8', 'ignore')
            node.assay_text = text.strip()
    return tree


# ── As something that runs ───────────────────────────────────────────────────────────────────────


def load(tree, entry_point, space):
    """Runs the source where that is due and yields its tests."""
    kind = form(tree, entry_point)
    space['__assay_compare__'] = compare
    texts = [_shown(node) for node in tree.body if isinstance(node, ast.Assert)]
    tree = ast.fix_missing_locations(_Explain().visit(tree))
    if kind == 'asserts':
        return _assert_tests(tree, texts, space)
    code = compile(tree, FILE, 'exec', dont_inherit=True)
    if kind == 'nothing':
        return []
    if kind == 'script':
        return [Test('script', lambda: exec(code, space))]
    if kind == 'check':

        def check():
            # The source may define the entry point too, as a stub; the sample's is the one that counts.
            candidate = space[entry_point]
            exec(code, space)
            space[entry_point] = candidate
            space['check'](candidate)

        return [Test('check', check)]
    exec(code, space)
    return _suite(space)


def _assert_tests(tree, texts, space):
    tests, state = [], {'failed': None}
    before = []

    def step(nodes, final):
        def run():
            if state['failed'] is not None:
                raise state['failed']
            for node in nodes:
                try:
                    exec(compile(ast.Module([node], []), FILE, 'exec', dont_inherit=True), space)
                except BaseException as error:
                    state['failed'] = error
                    raise
            exec(compile(ast.Module([final], []), FILE, 'exec', dont_inherit=True), space)

        return run

    names = iter(unique(texts))
    for node in tree.body:
        if isinstance(node, ast.Assert):
            tests.append(Test(next(names), step(before, node)))
            before = []
        else:
            before.append(node)
    return tests


def _suite(space):
    tests, context = [], fixtures.Context(space)
    for name, value in list(space.items()):
        if inspect.isclass(value) and issubclass(value, unittest.TestCase):
            if value.__module__ == space['__name__']:
                tests.extend(_unittests(name, value))
        elif inspect.isclass(value) and name.startswith('Test') and value.__module__ == space['__name__']:
            tests.extend(_class_tests(name, value, context))
        elif name.startswith('test') and inspect.isfunction(value):
            tests.extend(fixtures.expand(name, value, context, None))
    return tests


def _class_tests(name, kind, context):
    found = []
    order = [one for base in reversed(kind.__mro__) for one in vars(base)]
    for method in dict.fromkeys(order):
        function = inspect.getattr_static(kind, method, None)
        if method.startswith('test') and inspect.isfunction(function):
            found.extend(fixtures.expand('%s.%s' % (name, method), function, context, kind))
    return found


# ── unittest ─────────────────────────────────────────────────────────────────────────────────────


class _Outcome(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.error, self.skipped_for = None, None

    def addError(self, test, err):
        self.error = self.error or err[1]

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None and self.error is None:
            self.error = err[1]
            BaseException.__setattr__(err[1], '_assay_sub', subtest._subDescription())

    def addSkip(self, test, reason):
        self.skipped_for = reason

    def addUnexpectedSuccess(self, test):
        self.error = AssertionError('it was expected to fail and did not')


class _Class:
    """What a class sets up once: with its first test, and taken down with its last."""

    def __init__(self, kind, names):
        self.kind, self.left, self.ready, self.error = kind, set(names), False, None

    def begin(self):
        if not self.ready:
            self.ready = True
            try:
                self.kind.setUpClass()
            except BaseException as error:
                self.error = error
        if self.error is not None:
            raise self.error

    def end(self, name):
        self.left.discard(name)
        if not self.left and self.error is None:
            self.kind.tearDownClass()
            self.kind.doClassCleanups()


def _unittests(class_name, kind):
    names = unittest.TestLoader().getTestCaseNames(kind)
    shared = _Class(kind, names)

    def run(name):
        if getattr(kind, '__unittest_skip__', False):
            raise standin.Skipped(getattr(kind, '__unittest_skip_why__', ''))
        try:
            shared.begin()
        except unittest.SkipTest as skip:
            raise standin.Skipped(str(skip))
        outcome = _Outcome()
        try:
            kind(name).run(outcome)
        finally:
            shared.end(name)
        if outcome.error is not None:
            raise outcome.error
        if outcome.skipped_for is not None:
            raise standin.Skipped(outcome.skipped_for)

    return [Test('%s.%s' % (class_name, name), lambda name=name: run(name)) for name in names]


def describe(error):
    """Why a test failed, in a line or two."""
    text = str(error) if isinstance(error, AssertionError) else '%s: %s' % (type(error).__name__, error)
    text = text.strip().rstrip(':')
    sub = getattr(error, '__dict__', {}).get('_assay_sub')
    where = getattr(error, '__dict__', {}).get('_assay_where')
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return ''.join(
        [
            'line %d: ' % line if line else '',
            sub + ' ' if sub else '',
            text if len(text) <= 1500 else text[:1499] + '…',
            ' (%s, line %s)' % tuple(where) if isinstance(where, list) and len(where) == 2 else '',
        ]
    )


def stop_main():
    """A test file that starts its own runner is not stopped from being loaded."""
    unittest.main = lambda *args, **kwargs: None
    sys.argv = ['tests']
