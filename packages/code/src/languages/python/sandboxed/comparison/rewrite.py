"""Rewrites test source so that the functions in `operators.py` do its comparisons, arithmetic and truth checks.

This is only for tests that run in the answer's process. In isolated tests, the proxies of the answer's objects do
this.
"""
import ast

from _assay import operators, trust

HELPERS = {
    '__assay_%s__' % name: function
    for name, function in {
        'compared': operators.compare, 'chain': operators.chain, 'binary': operators.binary, 'unary': operators.unary,
        'truth': operators.truth, 'method': operators.method, 'subject': operators.subject, 'own': trust.trust_own,
    }.items()
}


def guarded(tree):
    """Rewrites the tree in place and returns it."""
    return ast.fix_missing_locations(_Guard().visit(tree))


_KNOWN = (ast.Constant, ast.BinOp)


class _Guard(ast.NodeTransformer):
    def _call(self, node, name, *args):
        function = ast.Name('__assay_%s__' % name, ast.Load())
        return ast.copy_location(ast.Call(function, list(args), []), node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        signs = [ast.Constant(type(one).__name__) for one in node.ops]
        if len(signs) == 1:
            return self._call(node, 'compared', signs[0], node.left, node.comparators[0])
        return self._call(node, 'chain', ast.Tuple(signs, ast.Load()), node.left, *node.comparators)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if type(node.op) is ast.Mod and type(node.left) is ast.Constant and type(node.left.value) in (str, bytes):
            return node
        # Both operands are constants or operations that need no rewriting, so this operation needs none either.
        if type(node.left) in _KNOWN and type(node.right) in _KNOWN:
            return node
        return self._call(node, 'binary', ast.Constant(type(node.op).__name__), node.left, node.right)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if type(node.op) is ast.Not:
            node.operand = self._truth(node.operand)
            return node
        if type(node.operand) is ast.Constant:
            return node
        return self._call(node, 'unary', ast.Constant(type(node.op).__name__), node.operand)

    def _truth(self, node):
        """Rewrites a condition. The operands of `and` and `or` are rewritten one by one."""
        if type(node) is ast.BoolOp:
            node.values = [self._truth(one) for one in node.values]
            return node
        if type(node) is ast.UnaryOp or type(node) is ast.Constant:
            return node
        return self._call(node, 'truth', node)

    def _condition(self, node):
        self.generic_visit(node)
        node.test = self._truth(node.test)
        return node

    visit_Assert = visit_If = visit_While = visit_IfExp = _condition

    def visit_comprehension(self, node):
        self.generic_visit(node)
        node.ifs = [self._truth(one) for one in node.ifs]
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        if type(function) is not ast.Attribute or function.attr not in operators.METHODS:
            return node
        if type(function.value) is ast.Call and getattr(function.value.func, 'id', '') == 'super':
            return node
        made = self._call(node, 'method', function.value, ast.Constant(function.attr), *node.args)
        made.keywords = node.keywords
        return made

    def visit_Match(self, node):
        self.generic_visit(node)
        asks = any(type(one.pattern).__name__ == 'MatchValue' for one in node.cases)
        node.subject = self._call(node.subject, 'subject', node.subject, ast.Constant(asks))
        return node

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        # Our decorator is the innermost one, so that it gets the tests' class itself. Another decorator may belong to
        # the answer.
        node.decorator_list.append(ast.copy_location(ast.Name('__assay_own__', ast.Load()), node))
        return node
