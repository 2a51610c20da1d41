class BufferFullException(BufferError):
    """Exception raised when CircularBuffer is full."""

    def __init__(self, message):
        self.message = message


class BufferEmptyException(BufferError):
    """Exception raised when CircularBuffer is empty."""

    def __init__(self, message):
        self.message = message


class CircularBuffer:
    def __init__(self, capacity):
        self.capacity, self.content = capacity, []

    def read(self):
        if not self.content:
            raise BufferEmptyException("Circular buffer is empty")
        return self.content.pop(0)

    def write(self, data):
        if len(self.content) == self.capacity:
            raise BufferFullException("Circular buffer is full")
        self.content.append(data)

    def overwrite(self, data):
        if len(self.content) == self.capacity:
            self.read()
        self.write(data)

    def clear(self):
        self.content = []
