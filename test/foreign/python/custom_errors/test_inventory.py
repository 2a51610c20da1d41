import pytest

from inventory import Inventory, InventoryError, OutOfStock


@pytest.fixture
def shop():
    return Inventory(apple=3, pear=1)


def test_take(shop):
    assert shop.take("apple", 2) == 2
    with pytest.raises(OutOfStock):
        shop.take("apple", 2)


def test_attributes(shop):
    with pytest.raises(OutOfStock) as excinfo:
        shop.take("pear", 5)
    assert excinfo.value.item == "pear"
    assert excinfo.value.missing == 4
    assert excinfo.value.args == ("pear: wanted 5, have 1",)
    assert excinfo.type is OutOfStock
    assert excinfo.typename == "OutOfStock"


def test_hierarchy():
    assert issubclass(OutOfStock, LookupError)
    assert issubclass(OutOfStock, InventoryError)
    assert not issubclass(OutOfStock, KeyError)


@pytest.mark.parametrize("count", [0, -1])
def test_count(shop, count):
    with pytest.raises(ValueError, match=r"^count must be positive$"):
        shop.take("apple", count)


def test_cause(shop):
    with pytest.raises(InventoryError, match="bad order") as excinfo:
        shop.parse_and_take("apple:many")
    assert isinstance(excinfo.value.__cause__, ValueError)
    assert not isinstance(excinfo.value, OutOfStock)


def test_function_form(shop):
    info = pytest.raises(OutOfStock, shop.take, "plum", count=2)
    assert "plum" in str(info.value)
    assert info.value.have == 0


def test_any_of(shop):
    with pytest.raises((ValueError, OutOfStock)):
        shop.take("melon")
