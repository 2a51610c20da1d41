def mean(values):
    return sum(values) / len(values)


def normalize(values):
    total = sum(values)
    return [value / total for value in values]


def summary(values):
    ordered = sorted(values)
    return {'mean': mean(values), 'low': ordered[0], 'high': ordered[-1]}


def polar(x, y):
    import math
    return math.hypot(x, y), math.atan2(y, x)


def spectrum(n):
    return complex(n, -n) / 3
