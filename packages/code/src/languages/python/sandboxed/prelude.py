"""The part of a continuation's prompt that tests may use.

The prompt ends in a definition that the answer completes. The code before it is complete and was written by the
author of the case: imports, constants and helper functions that some tests call. The unfinished definition itself
is never taken from the prompt, so that tests always call the answer's version.
"""
import ast
import builtins
import functools
import importlib
import re
import sys
from importlib.machinery import PathFinder

from _assay.test_source import HELPERS

_BEGINS = re.compile(r'(?:@|(?:async[ \t]+)?def\b|class\b)')
_NAME = re.compile(r'(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)', re.MULTILINE)


def _as_it_is(tree):
    return tree


@functools.lru_cache(maxsize=16)
def split(prompt, guarded=_as_it_is):
    """Splits a prompt. Returns the compiled complete part (None if it cannot be used) and the name that the answer
    defines. `guarded` transforms the syntax tree before it is compiled."""
    lines = prompt.splitlines(keepends=True)
    for at in range(len(lines) - 1, -1, -1):
        # A line in a docstring may look like a definition. Then the text before it does not parse, and the next line
        # is tried.
        if _BEGINS.match(lines[at]):
            tree = _parsed(''.join(lines[:at]))
            if tree is not None:
                name = _NAME.search(''.join(lines[at:]))
                return _usable(tree, guarded), name and name.group(1)
    tree = _parsed(prompt)
    return (None if tree is None else _usable(tree, guarded)), None


def _parsed(text):
    try:
        return ast.parse(text, '<prelude>')
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _usable(tree, guarded):
    """Returns the compiled code, or None if it contains a class. The answer defines that class too, and objects of
    the two classes would be mixed up."""
    if any(isinstance(node, ast.ClassDef) for node in ast.walk(tree)):
        return None
    return compile(guarded(tree), '<prelude>', 'exec', dont_inherit=True)


def fill(space, tests, source, offered, take, module=importlib.import_module, guarded=_as_it_is):
    """Fills the initial variables of the tests. `take` fetches a name from the answer."""
    unfinished = None
    if tests['prelude'] is not None:
        code, unfinished = split(tests['prelude'], guarded)
        if code is not None:
            space.update(HELPERS)
            exec(code, space)
    entry = tests['entryPoint']
    if entry is not None and entry.isidentifier():
        space[entry] = take(entry)
    for name in {unfinished, *tests.get('defines', ())} - {None, entry}:
        # This also applies if Python has a built-in of that name: tests of a function `sum` mean the answer's `sum`.
        if name in source.used() and (name == unfinished or name not in space and hasattr(builtins, name)):
            space[name] = take(name)
    _bring_names(source, space, offered, take, module)


def _bring_names(source, space, offered, get, module):
    """Takes names that the tests use but do not define from the answer, except built-in names."""
    for name in source.used():
        if name in space or hasattr(builtins, name):
            continue
        if _in_library(name) and source.only_dotted(name):
            # `math.isclose` in a test always means the library's `math`, even if the answer defines that name.
            space[name] = module(name)
        elif name in offered:
            space[name] = get(name)


def _in_library(name):
    names = getattr(sys, 'stdlib_module_names', None)
    if names is not None:
        return name in names
    # Before Python 3.10, `sys.stdlib_module_names` does not exist.
    return name in sys.builtin_module_names or PathFinder.find_spec(name) is not None
