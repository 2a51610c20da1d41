class Cache:
    instances = 0

    def __init__(self, size=2):
        type(self).instances += 1
        self.size, self.data, self.closed = size, {}, False

    def put(self, key, value):
        self.data.pop(key, None)
        self.data[key] = value
        while len(self.data) > self.size:
            del self.data[next(iter(self.data))]

    def get(self, key, default=None):
        if key not in self.data:
            return default
        value = self.data.pop(key)
        self.data[key] = value
        return value

    def close(self):
        self.closed = True
