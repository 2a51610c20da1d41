def depth(tree):
    return 0 if tree is None else 1 + max(depth(tree.get('left')), depth(tree.get('right')))


def build(values):
    root = None
    for value in values:
        root = insert(root, value)
    return root


def insert(tree, value):
    if tree is None:
        return {'value': value, 'left': None, 'right': None}
    side = 'left' if value <= tree['value'] else 'right'
    tree[side] = insert(tree[side], value)
    return tree


def in_order(tree):
    if tree is not None:
        yield from in_order(tree['left'])
        yield tree['value']
        yield from in_order(tree['right'])


def nested(levels):
    return [] if levels == 0 else [nested(levels - 1)]


def count(number):
    return 0 if number == 0 else 1 + count(number - 1)
