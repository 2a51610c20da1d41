"""The part of a continuation's prompt that tests may rely on.

The prompt ends in a definition that the answer completes. What stands before it is complete and is the author's:
imports, constants and helper functions that some tests call. The definition itself is never taken from here, so
that a test cannot reach anything but the answer's.
"""
import ast
import builtins
import functools
import importlib
import re
import sys
from importlib.machinery import PathFinder

from _assay.collect import HELPERS

_BEGINS = re.compile(r'(?:@|(?:async[ \t]+)?def\b|class\b)')
_NAME = re.compile(r'(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)', re.MULTILINE)


def _as_it_is(tree):
    return tree


@functools.lru_cache(maxsize=16)
def split(prompt, guarded=_as_it_is):
    """
    The complete part, compiled (None where there is none to use), and the name that the answer defines.
    `guarded`: what is done with the tree before it is compiled.
    """
    lines = prompt.splitlines(keepends=True)
    for at in range(len(lines) - 1, -1, -1):
        # A line in a docstring may look like a definition: what is before it is then no program.
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
    """None with a class: the answer has it too, and objects of two classes would be mixed up."""
    if any(isinstance(node, ast.ClassDef) for node in ast.walk(tree)):
        return None
    return compile(guarded(tree), '<prelude>', 'exec', dont_inherit=True)


def fill(space, tests, source, offered, take, module=importlib.import_module, guarded=_as_it_is):
    """Puts what the tests start with into their variables; `take` gets a name of the answer's."""
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
        # Also where Python has a function of that name: tests of `sum` mean the answer's.
        if name in source.used() and (name == unfinished or name not in space and hasattr(builtins, name)):
            space[name] = take(name)
    _bring_names(source, space, offered, take, module)


def _bring_names(source, space, offered, get, module):
    """Names that the tests use and nobody defines are the answer's. Built-in ones never are."""
    for name in source.used():
        if name in space or hasattr(builtins, name):
            continue
        if _in_library(name) and source.only_dotted(name):
            # `math.isclose` in a test is never whatever the answer calls `math`.
            space[name] = module(name)
        elif name in offered:
            space[name] = get(name)


def _in_library(name):
    names = getattr(sys, 'stdlib_module_names', None)
    if names is not None:
        return name in names
    # Before Python 3.10.
    return name in sys.builtin_module_names or PathFinder.find_spec(name) is not None
