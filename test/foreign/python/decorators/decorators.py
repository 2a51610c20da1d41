import functools


def memoize(function):
    cache = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args not in cache:
            cache[args] = function(*args)
        return cache[args]

    wrapper.cache = cache
    return wrapper


def limit(times):
    def decorate(function):
        left = times

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            nonlocal left
            if left == 0:
                raise RuntimeError('limit reached')
            left -= 1
            return function(*args, **kwargs)
        return wrapper
    return decorate


def counter():
    count = 0

    def step(by=1):
        nonlocal count
        count += by
        return count
    return step


class register:
    known = {}

    def __init__(self, name):
        self.name = name

    def __call__(self, thing):
        self.known[self.name] = thing
        return thing
