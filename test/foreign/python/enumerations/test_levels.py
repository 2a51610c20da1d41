import pytest
from levels import Access, Color, Level


@pytest.mark.parametrize("text", ["red", "Green", "CRIMSON"])
def test_parse(text):
    assert Color.parse(text).name in ("RED", "GREEN")


def test_alias():
    assert Color.parse("crimson") is Color.RED
    assert Color("g") is Color.GREEN
    assert len(list(Color)) == 2


def test_unknown():
    with pytest.raises(ValueError, match="no color 'blue'"):
        Color.parse("blue")


def test_text():
    assert str(Color.RED) == "Red"
    assert Color.RED.value == "r"
    assert Color.RED != "r"


def test_levels_are_numbers():
    assert Level.HIGH > Level.LOW
    assert Level.HIGH == 10
    assert Level(5) is Level.MIDDLE
    assert sum(Level) == 16
    assert sorted([Level.HIGH, Level.LOW]) == [Level.LOW, Level.HIGH]


def test_next():
    assert Level.LOW.next() is Level.MIDDLE
    assert Level.HIGH.next() is Level.HIGH


def test_flags():
    both = Access.READ | Access.WRITE
    assert both == Access.ALL
    assert Access.READ in both
    assert not (Access.READ & Access.WRITE)
