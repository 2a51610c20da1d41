import random
import string


class Robot:
    _used = set()

    def __init__(self):
        self._name = None

    @property
    def name(self):
        if self._name is None:
            self._name = self._make()
        return self._name

    def reset(self):
        self._name = None

    @classmethod
    def _make(cls):
        while True:
            name = ''.join(random.choice(string.ascii_uppercase) for _ in range(2))
            name += ''.join(random.choice(string.digits) for _ in range(3))
            if name not in cls._used:
                cls._used.add(name)
                return name
