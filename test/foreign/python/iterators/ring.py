class Ring:
    """A ring that forgets its oldest values."""

    def __init__(self, size, values=()):
        if size < 1:
            raise ValueError('size')
        self._size = size
        self._values = []
        for value in values:
            self.push(value)

    def push(self, value):
        self._values.append(value)
        if len(self._values) > self._size:
            return self._values.pop(0)
        return None

    def __len__(self):
        return len(self._values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Ring(self._size, self._values[index])
        return self._values[index]

    def __iter__(self):
        return RingIterator(self)

    def __reversed__(self):
        return iter(self._values[::-1])

    def __eq__(self, other):
        return isinstance(other, Ring) and list(self) == list(other)


class RingIterator:
    def __init__(self, ring):
        self._ring, self._at = ring, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= len(self._ring):
            raise StopIteration
        self._at += 1
        return self._ring[self._at - 1]
