import math
from decimal import Decimal

import pytest
from pytest import approx

from stats import mean, normalize, polar, spectrum, summary


def test_numbers():
    assert mean([0.1, 0.2]) == approx(0.15)
    assert mean([0.1, 0.2]) != approx(0.1501)
    assert mean([1e9, 1e9 + 1]) == pytest.approx(1e9, rel=1e-6)
    assert mean([1, 2]) == approx(1.6, abs=0.2)
    assert not mean([1, 2]) == approx(1.6, abs=0.01)


def test_lists():
    assert normalize([1, 2, 1]) == approx([0.25, 0.5, 0.25])
    assert normalize([1, 3]) == approx((0.25, 0.75))
    assert normalize([1, 1]) != approx([0.5])


def test_dicts():
    assert summary([1, 2, 4]) == approx({"mean": 2.3333333, "low": 1, "high": 4})


def test_tuples():
    assert polar(0, 2) == approx((2, math.pi / 2))


def test_complex():
    assert spectrum(1) == approx(complex(0.333333333, -0.333333333))


def test_zero():
    assert sum(normalize([0.1] * 10)) - 1 == approx(0, abs=1e-9)
    assert mean([1e-13]) == approx(0)


def test_nan():
    assert mean([float("nan")]) == approx(float("nan"), nan_ok=True)
    assert mean([float("nan")]) != approx(float("nan"))
    assert mean([math.inf]) == approx(math.inf)


def test_decimal():
    assert mean([Decimal("1.1"), Decimal("2.2")]) == approx(Decimal("1.65"))
