import pytest
from decorators import counter, limit, memoize, register


def test_memoize_calls_once():
    calls = []

    @memoize
    def square(n):
        """Squares."""
        calls.append(n)
        return n * n

    assert square(4) == 16
    assert square(4) == 16
    assert calls == [4]
    assert square.cache == {(4,): 16}


def test_wraps():
    @memoize
    def documented(n):
        """About this."""
        return n

    assert documented.__name__ == "documented"
    assert documented.__doc__ == "About this."


def test_recursion_through_the_cache():
    @memoize
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    assert fib(15) == 610


def test_limit():
    @limit(2)
    def greet(name, *, mark="!"):
        return name + mark

    assert greet("a") == "a!"
    assert greet("b", mark="?") == "b?"
    with pytest.raises(RuntimeError, match="limit reached"):
        greet("c")


def test_limits_are_separate():
    one, other = limit(1)(abs), limit(1)(abs)
    assert one(-1) == 1
    assert other(-2) == 2


def test_closures():
    a, b = counter(), counter()
    assert [a(), a(), a(5)] == [1, 2, 7]
    assert b() == 1


def test_register():
    @register("thing")
    def thing():
        return 1

    assert register.known["thing"]() == 1
    assert thing() == 1
