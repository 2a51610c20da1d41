from dataclasses import dataclass, field
from functools import total_ordering
from typing import List


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0

    def bump(self):
        return Version(self.major, self.minor + 1)


@dataclass
class Release:
    version: Version
    notes: List[str] = field(default_factory=list)
    secret: str = field(default='x', repr=False, compare=False)

    def add(self, note):
        self.notes.append(note)
        return self


@total_ordering
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents

    def __lt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.cents < other.cents

    def __hash__(self):
        return hash(self.cents)

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __neg__(self):
        return Money(-self.cents)

    def __bool__(self):
        return self.cents != 0

    def __str__(self):
        return f'{self.cents // 100}.{self.cents % 100:02}'
