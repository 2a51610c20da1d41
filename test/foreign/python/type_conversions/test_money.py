import pytest

from money import Celsius, Cents, Headers, Tags


def test_conversions():
    price = Cents(1999)
    assert int(price) == 1999
    assert float(price) == pytest.approx(19.99)
    assert str(price) == "19.99"
    assert [0] * 3 == [0] * Cents(3)
    assert bool(Cents(0)) is False


def test_round():
    assert round(Cents(1960)) == Cents(2000)
    assert isinstance(round(Cents(1)), Cents)


def test_divmod():
    share, rest = divmod(Cents(100), Cents(3))
    assert (int(share), int(rest)) == (33, 1)


def test_order():
    assert sorted([Cents(3), Cents(1)])[0] == Cents(1)
    assert max(Cents(3), Cents(7)).amount == 7
    assert Cents(1) <= Cents(1)


def test_float_subclass():
    t = Celsius("21.5C")
    assert t == 21.5
    assert t > 20
    assert repr(t) == "21.5C"
    assert isinstance(t, float)


def test_list_subclass():
    tags = Tags().add("a").add("b").add("a")
    assert tags == ["a", "b"]
    assert len(tags) == 2
    assert "b" in tags


def test_dict_subclass():
    headers = Headers()
    headers["Content-Type"] = "text"
    assert headers["CONTENT-TYPE"] == "text"
    assert headers["none"] == ""
    assert list(headers) == ["content-type"]
