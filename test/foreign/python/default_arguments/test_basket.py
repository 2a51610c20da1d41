from basket import add_item, bump, dedupe, grow, merge, rotate


def test_default_is_not_shared():
    assert add_item("a") == ["a"]
    assert add_item("b") == ["b"]


def test_given_basket_is_changed():
    mine = ["x"]
    result = add_item("y", mine)
    assert result is mine
    assert mine == ["x", "y"]


def test_merge():
    target = {"a": 1}
    assert merge(target, {"b": 2}, {"a": 3}) is target
    assert target == {"a": 3, "b": 2}


def test_merge_keeps():
    assert merge({"a": 1}, {"a": 2, "c": 3}, overwrite=False) == {"a": 1, "c": 3}


def test_rotate_in_place():
    values = [1, 2, 3, 4]
    assert rotate(values) is None
    assert values == [2, 3, 4, 1]
    rotate(values, 6)
    assert values == [4, 1, 2, 3]
    empty = []
    rotate(empty)
    assert empty == []


def test_dedupe_leaves_its_argument():
    values = [3, 1, 3, 2, 1]
    assert dedupe(values) == [3, 1, 2]
    assert values == [3, 1, 3, 2, 1]


def test_bump():
    counts = {}
    for letter in "abca":
        bump(counts, letter)
    assert counts == {"a": 2, "b": 1, "c": 1}


def test_nested_lists():
    row = [1, 2]
    matrix = [row, [3, 4]]
    grow(matrix)
    assert matrix == [[1, 2, 0], [3, 4, 0], [0, 0, 0]]
    assert row == [1, 2, 0]
    assert matrix[0] is row
