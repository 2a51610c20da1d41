def add_item(item, basket=None):
    if basket is None:
        basket = []
    basket.append(item)
    return basket


def merge(target, *sources, overwrite=True):
    for source in sources:
        for key, value in source.items():
            if overwrite or key not in target:
                target[key] = value
    return target


def rotate(values, by=1):
    by %= len(values) or 1
    values[:] = values[by:] + values[:by]


def dedupe(values):
    return list(dict.fromkeys(values))


def bump(counts, key):
    counts[key] = counts.get(key, 0) + 1


def grow(matrix):
    for row in matrix:
        row.append(0)
    matrix.append([0] * len(matrix[0]))
