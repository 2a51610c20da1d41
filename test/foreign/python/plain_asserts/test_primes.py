import primes
from primes import *


def test_one():
    assert prime_factors(1) == []


def test_small():
    for number, factors in {2: [2], 9: [3, 3], 8: [2, 2, 2], 12: [2, 2, 3]}.items():
        assert prime_factors(number) == factors, f"factors of {number}"


def test_product():
    number = 1
    for factor in prime_factors(901255):
        number *= factor
    assert number == 901255


def test_is_prime():
    assert [n for n in range(20) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19]
    assert not primes.is_prime(1)
    assert is_prime(97) and not is_prime(91)


def test_returns_a_list():
    result = prime_factors(6)
    assert isinstance(result, list)
    assert result == sorted(result)
    assert len(result) == 2 and result[0] < result[1]
