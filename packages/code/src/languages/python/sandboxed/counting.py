"""Counts what tests do: the assertions that they make and the requests that they send to the solution.

This shows whether the tests of a case check anything at all. It is never used while an answer is graded.
"""
import ast
import builtins

from _assay.peer import Peer

#: Requests that only load or import the solution. They do not count as use.
_LOOKS = frozenset(('load', 'names', 'importing'))
_NAME = '__assay_asserted__'


class Counts:
    def __init__(self):
        self.assertions = self.uses = 0
        setattr(builtins, _NAME, self._asserted)

    def _asserted(self, function=None):
        self.assertions += 1
        return function

    def peer(self, *args, **named):
        counts = self

        class Counted(Peer):
            def ask(self, operation, *given):
                counts.uses += operation not in _LOOKS
                value = super().ask(operation, *given)
                # Reading a function from the module does not count, only calling it. Reading any other value counts,
                # because no call follows.
                counts.uses -= operation == 'name_get' and callable(value)
                return value

        return Counted(*args, **named)

    def told(self):
        return {'assertions': self.assertions, 'uses': self.uses}


def counted(text):
    """Returns the source with a counter added to each assertion. Returns it unchanged if this Python has no
    `ast.unparse`."""
    tree = ast.fix_missing_locations(_Telling().visit(ast.parse(text)))
    return ast.unparse(tree) if hasattr(ast, 'unparse') else text


class _Telling(ast.NodeTransformer):
    def visit_Assert(self, node):
        self.generic_visit(node)
        return [ast.Expr(ast.Call(ast.Name(_NAME, ast.Load()), [], [])), node]

    def visit_Call(self, node):
        self.generic_visit(node)
        name = getattr(node.func, 'attr', None) or getattr(node.func, 'id', '')
        if any(part in name.lower() for part in ('assert', 'raises', 'fail', 'warns', 'testmod', 'testfile')):
            node.func = ast.Call(ast.Name(_NAME, ast.Load()), [node.func], [])
        return node
