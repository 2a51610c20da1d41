from enum import Enum, Flag, IntEnum, auto


class Color(Enum):
    RED = 'r'
    GREEN = 'g'
    CRIMSON = 'r'

    @classmethod
    def parse(cls, text):
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f'no color {text!r}') from None

    def __str__(self):
        return self.name.title()


class Level(IntEnum):
    LOW = 1
    MIDDLE = 5
    HIGH = 10

    def next(self):
        members = list(Level)
        return members[min(members.index(self) + 1, len(members) - 1)]


class Access(Flag):
    READ = auto()
    WRITE = auto()
    ALL = READ | WRITE
