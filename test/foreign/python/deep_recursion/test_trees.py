import pytest
import trees


@pytest.fixture(params=[[5, 3, 8], [1, 2, 3, 4, 5, 6, 7], [7, 6, 5], [4, 4, 4]], ids=lambda v: "-".join(map(str, v)))
def values(request):
    return request.param


def test_in_order(values):
    assert list(trees.in_order(trees.build(values))) == sorted(values)


def test_depth():
    assert trees.depth(None) == 0
    assert trees.depth(trees.build([5, 3, 8])) == 2
    assert trees.depth(trees.build(range(100))) == 100


def test_equal_values_go_left():
    tree = trees.build([2, 2])
    assert tree["left"]["value"] == 2
    assert tree["right"] is None


def test_nested():
    assert trees.nested(3) == [[[[]]]]
    value, levels = trees.nested(50), 0
    while value:
        value, levels = value[0], levels + 1
    assert levels == 50


def test_deep():
    assert trees.count(500) == 500


def test_too_deep():
    with pytest.raises(RecursionError):
        trees.count(10**6)
