def countdown(start):
    while start > 0:
        yield start
        start -= 1
    return 'done'


def chunks(values, size):
    values = iter(values)
    while True:
        chunk = []
        for value in values:
            chunk.append(value)
            if len(chunk) == size:
                break
        if not chunk:
            return
        yield tuple(chunk)


def running_average():
    total, count, average = 0.0, 0, None
    while True:
        value = yield average
        total += value
        count += 1
        average = total / count


def flatten(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from flatten(item)
        else:
            yield item


class Fibonacci:
    def __init__(self, limit):
        self.limit = limit

    def __iter__(self):
        a, b = 0, 1
        while a < self.limit:
            yield a
            a, b = b, a + b
