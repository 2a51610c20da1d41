import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from exact import age, as_utc, average, next_workday, parse, vat


@pytest.mark.parametrize("price, expected", [("100", "19.00"), ("0.50", "0.10"), ("2.5", "0.48")])
def test_vat(price, expected):
    result = vat(price)
    assert isinstance(result, Decimal)
    assert str(result) == expected
    assert result == Decimal(expected)


def test_average():
    assert average([1, 2]) == Fraction(3, 2)
    assert average([1, 2, 4]).denominator == 3
    assert float(average([1, 2])) == pytest.approx(1.5)


@pytest.mark.parametrize(
    "day, expected",
    [(date(2024, 3, 1), date(2024, 3, 4)), (date(2024, 3, 4), date(2024, 3, 5))],
    ids=["friday", "monday"],
)
def test_next_workday(day, expected):
    assert next_workday(day) == expected
    assert next_workday(day) > day


def test_utc():
    east = timezone(timedelta(hours=2))
    assert as_utc(datetime(2024, 5, 1, 1, tzinfo=east)) == datetime(2024, 4, 30, 23, tzinfo=timezone.utc)
    assert as_utc(datetime(2024, 5, 1, 1, tzinfo=east)).tzinfo is timezone.utc
    with pytest.raises(ValueError, match="naive"):
        as_utc(datetime(2024, 5, 1))


def test_age():
    assert age(date(2000, 1, 1)) == 24
    assert age(date(2000, 1, 2)) == 23
    assert age(date(2000, 6, 1), today=date(2010, 6, 1)) == 10


def test_parse():
    assert parse("2024-02-29 12:30") == datetime(2024, 2, 29, 12, 30)
    assert parse("2024-02-29 12:30") - parse("2024-02-28 12:00") == timedelta(days=1, minutes=30)
    assert math.isclose(timedelta(hours=1).total_seconds(), 3600)
