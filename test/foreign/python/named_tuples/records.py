from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import NamedTuple

Point = namedtuple('Point', 'x y', defaults=[0])


class Employee(NamedTuple):
    name: str
    salary: float = 0.0

    @property
    def monthly(self):
        return self.salary / 12


def swap(point):
    return point._replace(x=point.y, y=point.x)


def count_words(text):
    return Counter(text.lower().split())


def index(words):
    found = defaultdict(list)
    for number, word in enumerate(words):
        found[word[0]].append(number)
    return found


def last(values, count):
    return deque(values, maxlen=count)


def ordered(pairs):
    return OrderedDict(sorted(pairs))
