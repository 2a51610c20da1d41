from abc import ABC, abstractmethod


class Shape(ABC):
    name = 'shape'

    @abstractmethod
    def area(self):
        ...

    def describe(self):
        return f'{self.name} of {self.area():g}'

    def larger(self, other):
        return self if self.area() >= other.area() else other


class Square(Shape):
    name = 'square'

    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2
