import copy

import pytest
from vector import Vector


@pytest.fixture(scope="module")
def v():
    return Vector(3, 4)


class TestArithmetic:
    def test_add(self, v):
        assert v + Vector(1, 1) == Vector(4, 5)

    def test_sub(self, v):
        assert v - Vector(1, 1) == Vector(2, 3)

    def test_scale(self, v):
        assert v * 2 == Vector(6, 8)
        assert 2 * v == Vector(6, 8)

    def test_dot(self, v):
        assert (v * Vector(1, 2)) == 11

    def test_cross(self, v):
        assert v @ Vector(1, 2) == 2

    def test_abs(self, v):
        assert abs(v) == 5.0
        assert abs(v) == pytest.approx(5)

    def test_in_place(self):
        w = Vector(1, 2)
        same = w
        w += Vector(1, 1)
        assert w is same
        assert (w.x, w.y) == (2, 3)


class TestProtocols:
    def test_unpack(self, v):
        x, y = v
        assert [x, y] == [3, 4]
        assert tuple(v) == (3, 4)

    def test_items(self, v):
        assert v[0] == 3
        assert v[-1] == 4
        assert len(v) == 2
        with pytest.raises(IndexError):
            v[2]

    def test_contains(self, v):
        assert 3 in v
        assert 5 not in v

    def test_repr_and_format(self, v):
        assert repr(v) == "Vector(3, 4)"
        assert f"{v:.1f}" == "<3.0|4.0>"
        assert format(v, "02d") == "<03|04>"

    def test_equality_and_hash(self, v):
        assert v != Vector(4, 3)
        assert v != (3, 4)
        assert {v: 1}[Vector(3, 4)] == 1

    def test_call(self, v):
        assert v(3) == Vector(9, 12)

    def test_no_other_attributes(self, v):
        with pytest.raises(AttributeError):
            v.z = 1

    def test_copy(self, v):
        other = copy.copy(v)
        assert other == v
        assert other is not v
