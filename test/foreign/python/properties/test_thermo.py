from unittest.mock import Mock, call

import pytest

import thermo
from thermo import Celsius


@pytest.mark.parametrize("c, f", [(0, 32), (100, 212), (-40, -40), (36.6, 97.88)])
def test_fahrenheit(c, f):
    assert Celsius(c).fahrenheit == pytest.approx(f)
    assert Celsius.from_fahrenheit(f).degrees == pytest.approx(c, abs=1e-9)


def test_setter_checks():
    t = Celsius(5)
    with pytest.raises(ValueError, match=r"-300 is below"):
        t.degrees = -300
    assert t.degrees == 5


def test_read_only():
    with pytest.raises(AttributeError):
        Celsius().fahrenheit = 3


def test_deleter():
    t = Celsius(7)
    del t.degrees
    assert t.degrees == 0.0


def test_listeners():
    listener = Mock()
    t = Celsius()
    off = t.on_change(listener)
    t.degrees = 1
    t.degrees = 2
    off()
    t.degrees = 3
    assert listener.call_args_list == [call(1), call(2)]
    assert listener.call_count == 2


def test_class_attribute(monkeypatch):
    monkeypatch.setattr(thermo.Celsius, "low", -10)
    with pytest.raises(ValueError):
        Celsius(-11)
    assert not Celsius.is_valid(-11)


def test_class_attribute_is_back():
    assert Celsius.low == -273.15
    assert Celsius.is_valid(-11) is True
