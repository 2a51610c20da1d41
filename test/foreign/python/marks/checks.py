import sys


def is_even(number):
    return number % 2 == 0


def clamp(value, low, high):
    return max(low, min(high, value))


def ratio(a, b):
    return a / b


PLATFORM = sys.platform
