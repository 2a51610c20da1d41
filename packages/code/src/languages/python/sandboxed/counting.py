"""Counts what tests do: assertions as they are made, and what is asked of the sample.

For finding out whether the tests of a case do anything at all. Never used while an answer is graded.
"""
import ast
import builtins

from _assay.peer import Peer

#: Asked before anything is done with the sample.
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
                # A function that is only taken is not called yet; a value is all that there is to it.
                counts.uses -= operation == 'name_get' and callable(value)
                return value

        return Counted(*args, **named)

    def told(self):
        return {'assertions': self.assertions, 'uses': self.uses}


def counted(text):
    """The source, in which each assertion tells that it is made; as it is where Python cannot write it."""
    tree = ast.fix_missing_locations(_Telling().visit(ast.parse(text)))
    return ast.unparse(tree) if hasattr(ast, 'unparse') else text


class _Telling(ast.NodeTransformer):
    def visit_Assert(self, node):
        self.generic_visit(node)
        return [ast.Expr(ast.Call(ast.Name(_NAME, ast.Load()), [], [])), node]

    def visit_Call(self, node):
        self.generic_visit(node)
        name = getattr(node.func, 'attr', None) or getattr(node.func, 'id', '')
        if any(part in name.lower() for part in ('assert', 'raises', 'fail', 'warns')):
            node.func = ast.Call(ast.Name(_NAME, ast.Load()), [node.func], [])
        return node
