from contextlib import contextmanager


class Transaction:
    def __init__(self, store):
        self.store = store
        self.log = []

    def __enter__(self):
        self._before = dict(self.store)
        self.log.append('begin')
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.log.append('commit')
            return False
        self.store.clear()
        self.store.update(self._before)
        self.log.append('rollback ' + kind.__name__)
        return issubclass(kind, KeyError)


@contextmanager
def appended(values, value):
    values.append(value)
    try:
        yield values
    finally:
        values.remove(value)
