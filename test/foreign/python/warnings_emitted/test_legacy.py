import warnings

import pytest

from legacy import OldFormat, load, noisy, total


def test_total_warns():
    with pytest.warns(DeprecationWarning, match="use sum"):
        assert total([1, 2]) == 3


def test_deprecated_call():
    with pytest.deprecated_call():
        total([])


def test_own_category():
    with pytest.warns(OldFormat) as record:
        assert load("v1:x") == "x"
    assert len(record) == 1
    assert str(record[0].message) == "version 1"
    assert record[0].category is OldFormat


def test_no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert load("v2:y") == "y"
    assert caught == []


def test_recwarn(recwarn):
    noisy(2)
    assert len(recwarn) == 2
    assert str(recwarn.pop(UserWarning).message) == "number 0"


def test_as_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            noisy(1)
