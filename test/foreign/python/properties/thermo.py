class Celsius:
    low = -273.15

    def __init__(self, degrees=0.0):
        self._listeners = []
        self.degrees = degrees

    @property
    def degrees(self):
        return self._degrees

    @degrees.setter
    def degrees(self, value):
        if value < self.low:
            raise ValueError(f'{value} is below {self.low}')
        self._degrees = value
        for listener in self._listeners:
            listener(value)

    @degrees.deleter
    def degrees(self):
        self._degrees = 0.0

    @property
    def fahrenheit(self):
        return self.degrees * 9 / 5 + 32

    def on_change(self, listener):
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @classmethod
    def from_fahrenheit(cls, value):
        return cls((value - 32) * 5 / 9)

    @staticmethod
    def is_valid(value):
        return value >= Celsius.low
