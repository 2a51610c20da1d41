import warnings


class OldFormat(UserWarning):
    pass


def total(values):
    warnings.warn('total() is deprecated, use sum()', DeprecationWarning, stacklevel=2)
    return sum(values)


def load(text):
    if text.startswith('v1'):
        warnings.warn(OldFormat('version 1'))
    return text.split(':')[-1]


def noisy(count):
    for number in range(count):
        warnings.warn(f'number {number}')
    return count
