import pytest

from shapes import Shape, Square


class Blob(Shape):
    name = "blob"

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.asked = 0

    def area(self):
        self.asked += 1
        return self.size


class Unfinished(Shape):
    pass


class Tall(Square):
    def area(self):
        return super().area() * 2


def test_abstract():
    with pytest.raises(TypeError):
        Shape()
    with pytest.raises(TypeError):
        Unfinished()


def test_template_method():
    blob = Blob(7)
    assert blob.describe() == "blob of 7"
    assert blob.asked == 1


def test_super():
    assert Tall(3).area() == 18
    assert Tall(3).describe() == "square of 18"


@pytest.mark.parametrize("mine, theirs, wins", [(1, 2, False), (9, 2, True), (4, 2, True)])
def test_larger(mine, theirs, wins):
    blob, square = Blob(mine), Square(theirs)
    assert (blob.larger(square) is blob) == wins


def test_isinstance():
    assert isinstance(Blob(1), Shape)
    assert issubclass(Tall, Shape)
