import pytest
from ring import Ring


class TestRing:
    @pytest.fixture(autouse=True)
    def _make(self):
        self.ring = Ring(3, "abcd")

    def test_forgets(self):
        assert list(self.ring) == ["b", "c", "d"]
        assert self.ring.push("e") == "b"

    def test_push_with_space(self):
        assert Ring(2).push(1) is None

    def test_len(self):
        assert len(self.ring) == 3
        assert len(Ring(5)) == 0

    def test_two_iterators(self):
        first, second = iter(self.ring), iter(self.ring)
        assert next(first) == "b"
        assert next(first) == "c"
        assert next(second) == "b"
        assert iter(first) is first

    def test_exhausted(self):
        it = iter(Ring(1, [1]))
        next(it)
        with pytest.raises(StopIteration):
            next(it)
        assert list(it) == []

    def test_indexes(self):
        assert self.ring[0] == "b"
        assert self.ring[-1] == "d"
        assert self.ring[1:] == Ring(3, "cd")
        with pytest.raises(IndexError):
            self.ring[3]

    def test_reversed_and_tools(self):
        assert list(reversed(self.ring)) == ["d", "c", "b"]
        assert list(zip(self.ring, range(3))) == [("b", 0), ("c", 1), ("d", 2)]
        assert dict(enumerate(self.ring))[2] == "d"
        assert max(Ring(4, [3, 9, 2])) == 9
        first, *rest = self.ring
        assert (first, rest) == ("b", ["c", "d"])


@pytest.mark.parametrize("size", [0, -3])
def test_size(size):
    with pytest.raises(ValueError):
        Ring(size)
