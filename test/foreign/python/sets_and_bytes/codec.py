import cmath


def unique(words):
    return frozenset(word.lower() for word in words)


def groups(words):
    return {frozenset(word) for word in words}


def xor(data, key):
    return bytes(one ^ key[index % len(key)] for index, one in enumerate(data))


def patch(buffer, at, data):
    buffer[at:at + len(data)] = data
    return buffer


def roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)


def clean(values):
    return [None if value != value else value for value in values]


def divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return float('nan') if a == 0 else float('inf')


def window(view, size):
    return [bytes(view[i:i + size]) for i in range(0, len(view), size)]
