import functools
import numbers


@functools.total_ordering
class Cents(numbers.Number):
    def __init__(self, amount):
        self.amount = int(amount)

    def __int__(self):
        return self.amount

    def __float__(self):
        return self.amount / 100

    def __index__(self):
        return self.amount

    def __round__(self, digits=None):
        return Cents(round(self.amount, -2 if digits is None else digits))

    def __eq__(self, other):
        return isinstance(other, Cents) and self.amount == other.amount

    def __lt__(self, other):
        return self.amount < other.amount

    def __hash__(self):
        return hash(self.amount)

    def __bool__(self):
        return bool(self.amount)

    def __divmod__(self, count):
        share, rest = divmod(self.amount, count.amount)
        return Cents(share), Cents(rest)

    def __str__(self):
        return f'{float(self):.2f}'


class Celsius(float):
    def __new__(cls, text):
        return super().__new__(cls, str(text).rstrip('C'))

    def __repr__(self):
        return f'{float(self):g}C'


class Tags(list):
    def add(self, tag):
        if tag not in self:
            self.append(tag)
        return self


class Headers(dict):
    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __setitem__(self, name, value):
        super().__setitem__(name.lower(), value)

    def __missing__(self, name):
        return ''
