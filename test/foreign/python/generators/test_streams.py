import itertools
import types

import pytest

from streams import Fibonacci, chunks, countdown, flatten, running_average


def test_countdown_is_lazy():
    gen = countdown(3)
    assert isinstance(gen, types.GeneratorType) or hasattr(gen, "send")
    assert next(gen) == 3
    assert list(gen) == [2, 1]
    assert next(gen, None) is None


def test_return_value():
    gen = countdown(1)
    next(gen)
    with pytest.raises(StopIteration) as info:
        next(gen)
    assert info.value.value == "done"


@pytest.mark.parametrize(
    ("values", "size", "expected"),
    [
        ([], 2, []),
        (range(5), 2, [(0, 1), (2, 3), (4,)]),
        ("abc", 3, [("a", "b", "c")]),
        (iter([1, 2]), 5, [(1, 2)]),
    ],
)
def test_chunks(values, size, expected):
    assert list(chunks(values, size)) == expected


def test_chunks_of_endless():
    assert list(itertools.islice(chunks(itertools.count(), 2), 2)) == [(0, 1), (2, 3)]


def test_send():
    avg = running_average()
    next(avg)
    assert avg.send(10) == 10
    assert avg.send(20) == 15
    avg.close()
    with pytest.raises(StopIteration):
        avg.send(1)


def test_flatten():
    assert list(flatten([1, [2, (3, [4])], [], "ab"])) == [1, 2, 3, 4, "ab"]


def test_fibonacci_twice():
    fib = Fibonacci(10)
    assert list(fib) == [0, 1, 1, 2, 3, 5, 8]
    assert sum(fib) == 20
    assert 5 in fib
    assert 4 not in fib
