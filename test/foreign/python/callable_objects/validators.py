import re


class Validator:
    def __init__(self, test, message):
        self.test, self.message = test, message

    def __call__(self, value):
        if not self.test(value):
            raise ValueError(self.message.format(value=value))
        return value

    def __and__(self, other):
        return Validator(lambda value: self.test(value) and other.test(value), self.message)

    def __or__(self, other):
        return Validator(lambda value: self.test(value) or other.test(value), self.message)

    def __invert__(self):
        return Validator(lambda value: not self.test(value), 'not: ' + self.message)


def matches(pattern):
    return Validator(lambda value: re.fullmatch(pattern, value) is not None, '{value!r} does not match')


def validate(data, **validators):
    errors = {}
    for name, validator in validators.items():
        try:
            validator(data.get(name))
        except (TypeError, ValueError) as error:
            errors[name] = str(error)
    return errors
