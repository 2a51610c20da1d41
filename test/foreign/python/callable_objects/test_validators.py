import pytest
from validators import Validator, matches, validate

positive = Validator(lambda n: n > 0, "{value} is not positive")
even = Validator(lambda n: n % 2 == 0, "{value} is odd")


@pytest.mark.parametrize("value", [1, 2.5, 10**20])
def test_positive(value):
    assert positive(value) is value or positive(value) == value


def test_message():
    with pytest.raises(ValueError) as info:
        positive(-3)
    assert str(info.value) == "-3 is not positive"
    assert info.match(r"-\d is not")


@pytest.mark.parametrize(
    "value, ok", [(2, True), (3, False), (-2, False)], ids=["both", "odd", "negative"]
)
def test_and(value, ok):
    both = positive & even
    if ok:
        assert both(value) == value
    else:
        with pytest.raises(ValueError):
            both(value)


def test_or_and_not():
    assert (positive | even)(-2) == -2
    with pytest.raises(ValueError, match="^not: "):
        (~positive)(1)
    assert (~positive)(0) == 0


class TestValidate:
    validators = {"age": positive, "zip": matches(r"\d{5}")}

    def test_fine(self):
        assert validate({"age": 3, "zip": "12345"}, **self.validators) == {}

    def test_errors(self):
        errors = validate({"age": -1, "zip": "x"}, **self.validators)
        assert errors == {"age": "-1 is not positive", "zip": "'x' does not match"}

    def test_missing(self):
        errors = validate({}, **self.validators)
        assert set(errors) == {"age", "zip"}
        assert "expected string" in errors["zip"]
