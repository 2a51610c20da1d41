import sys

import pytest

from checks import clamp, is_even, ratio

pytestmark = pytest.mark.fast


@pytest.mark.skip(reason="not yet")
def test_skipped():
    assert is_even("x")


@pytest.mark.skipif(sys.version_info < (3, 0), reason="old")
def test_runs():
    assert is_even(2)


@pytest.mark.skipif("sys.version_info > (3, 0)", reason="new")
def test_condition_text():
    assert False


@pytest.mark.xfail(reason="known", strict=True)
def test_strict():
    assert ratio(1, 3) == 0.33


@pytest.mark.xfail(raises=ZeroDivisionError, strict=True)
def test_strict_kind():
    ratio(1, 0)


@pytest.mark.parametrize(
    "value, expected",
    [
        (5, 5),
        pytest.param(-1, 0, id="below"),
        pytest.param(11, 10, marks=pytest.mark.slow, id="above"),
        pytest.param(99, 99, marks=pytest.mark.xfail(strict=True)),
        pytest.param(0, 1, marks=pytest.mark.skip),
    ],
)
def test_clamp(value, expected):
    assert clamp(value, 0, 10) == expected


@pytest.mark.parametrize("a", [2, 4])
@pytest.mark.parametrize("b", [1, 2], ids=["one", "two"])
def test_stacked(a, b):
    assert ratio(a, b) * b == a


def test_imperative():
    if not is_even(3):
        pytest.skip("odd")
    pytest.fail("3 is even")


def test_importorskip():
    json = pytest.importorskip("json")
    assert json.dumps(is_even(2)) == "true"
    pytest.importorskip("no_such_module_anywhere")
    assert False


@pytest.mark.skipif(False, reason="never")
class TestGroup:
    pytestmark = [pytest.mark.group, pytest.mark.parametrize("n", [1, 3])]

    def test_odd(self, n):
        assert not is_even(n)
