def compose(*functions):
    def composed(value):
        for function in functions:
            value = function(value)
        return value
    return composed


def retry(function, times, on_error=None):
    for attempt in range(1, times + 1):
        try:
            return function()
        except Exception as error:
            if on_error:
                on_error(attempt, error)
            if attempt == times:
                raise


def group_by(values, key):
    groups = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


class Events:
    def __init__(self):
        self._handlers = {}

    def on(self, name, handler):
        self._handlers.setdefault(name, []).append(handler)
        return handler

    def emit(self, name, *args, **kwargs):
        return [handler(*args, **kwargs) for handler in self._handlers.get(name, [])]
