import pytest
from contexts import Transaction, appended


def test_commit():
    store = {"a": 1}
    with Transaction(store) as t:
        store["b"] = 2
    assert store == {"a": 1, "b": 2}
    assert t.log == ["begin", "commit"]


def test_rollback_and_raise():
    store = {"a": 1}
    transaction = Transaction(store)
    with pytest.raises(ZeroDivisionError):
        with transaction:
            store["a"] = 5
            1 / 0
    assert store == {"a": 1}
    assert transaction.log[-1] == "rollback ZeroDivisionError"


def test_swallows_key_errors():
    store = {}
    with Transaction(store) as t:
        store["x"] = 1
        store["missing"]
    assert store == {}
    assert t.log == ["begin", "rollback KeyError"]


def test_appended():
    values = [1, 2]
    with appended(values, 3) as inside:
        assert inside is values
        assert values == [1, 2, 3]
    assert values == [1, 2]


def test_appended_with_error():
    values = []
    with pytest.raises(RuntimeError, match="stop"):
        with appended(values, 1):
            raise RuntimeError("stop")
    assert values == []
