"""Turns test source into tests. A test is a name and a function to run. The list is complete before the first test
runs."""
import ast
import inspect
import sys
import types
import unittest

from _assay import cases, doctests, failure, fixtures
from _assay.failure import FILE
from _assay.fixtures import Test
from _assay.marks import Skipped
from _assay.test_source import HELPERS, LOAD_TESTS, called_helpers, execute, form, shown, unique


def load(source, entry_point, space, helpers=None):
    """Returns the tests of the source. Runs the source first, unless its form makes running it the test.
    `helpers`: further files of the tests."""
    tree = source.tree
    kind = form(tree, entry_point)
    space.update(HELPERS)
    texts = [shown(node) for node in tree.body if isinstance(node, ast.Assert)]
    if kind == 'asserts':
        return _assert_tests(tree, texts, space)
    code = source.code
    if kind == 'nothing':
        return []
    if kind == 'script':
        return [Test('script', lambda: _run_script(source, space, helpers))]
    if kind == 'check':

        def check():
            # The source may also define the entry point, as a stub. Only the solution's version is tested.
            candidate = space[entry_point]
            execute(code, space)
            space[entry_point] = candidate
            space['check'](candidate)

        return [Test('check', check)]
    # `conftest` files are loaded before the tests, as in pytest.
    above = helpers.settings() if helpers is not None else ()
    execute(code, space)
    return _suite(space, above, called_helpers(tree))


def _run_script(source, space, helpers):
    execute(source.code, space)
    # Running the script may have created test functions or classes. They are run too.
    above = helpers.settings() if helpers is not None else ()
    for test in _suite(space, above, called_helpers(source.tree)):
        try:
            test.run()
        except Skipped as skip:
            if failure.is_answers(skip):
                raise AssertionError('the code raised a skip') from None


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
    # Statements after the last assert belong to the last test, because a call there may be an important check.
    afters = [()] * (len(steps) - 1) + [before]
    return [Test(name, step(*one, after)) for name, one, after in zip(unique(texts), steps, afters)]


def _execute_node(node, space):
    execute(compile(ast.Module([node], []), FILE, 'exec', dont_inherit=True), space)


def _suite(space, above, helpers=frozenset()):
    """`helpers`: names of functions that are named like tests but are not tests."""
    tests, context = [], fixtures.Context(space, above)
    if inspect.isfunction(space.get(LOAD_TESTS)):
        loader, standard = unittest.TestLoader(), unittest.TestSuite()
        for value in _cases_in(space).values():
            standard.addTests(loader.loadTestsFromTestCase(value))
        return context.arranged(cases.expand_suite(space[LOAD_TESTS](loader, standard, None), context))
    classes = _cases_in(space)
    for name, value in list(space.items()):
        if name in classes:
            tests.extend(cases.expand(name, value, context))
        elif inspect.isclass(value) and name.startswith('Test') and _is_collected(value, space):
            tests.extend(_class_tests(name, value, context))
        elif name in helpers:
            continue
        elif name.startswith('test') and inspect.isfunction(value) and getattr(value, '__test__', True):
            tests.extend(fixtures.expand(name, value, context, None))
    return context.arranged(tests)


def _cases_in(space):
    return {
        name: value for name, value in space.items()
        if inspect.isclass(value) and issubclass(value, unittest.TestCase) and value.__module__ == space['__name__']
    }


def _is_collected(kind, space):
    # Like pytest, leaves out classes with a constructor and classes with `__test__ = False`.
    return kind.__module__ == space['__name__'] and kind.__init__ is object.__init__ and getattr(kind, '__test__', True)


def _class_tests(name, kind, context):
    found = []
    order = [one for base in reversed(kind.__mro__) for one in vars(base)]
    for method in dict.fromkeys(order):
        function = inspect.getattr_static(kind, method, None)
        if method.startswith('test') and inspect.isfunction(function):
            found.extend(fixtures.expand('%s.%s' % (name, method), function, context, kind))
        elif inspect.isclass(function) and method.startswith('Test') and method in vars(kind):
            found.extend(_class_tests('%s.%s' % (name, method), function, context))
    return found


def main_module():
    """Returns the variables of a new main module. Tests run in it, so that `if __name__ == '__main__'` is true."""
    module = types.ModuleType('__main__')
    module.__file__ = 'tests.py'
    sys.modules['__main__'] = sys.modules['tests'] = module
    return module.__dict__


def stop_main():
    """Makes `unittest.main()` and similar runners in a test file do nothing, because its tests are run one by one."""
    doctests.stop_runners()
    sys.argv = ['tests.py']
