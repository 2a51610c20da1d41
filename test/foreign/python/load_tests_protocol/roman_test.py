import unittest

from roman import roman

CASES = {1: "I", 4: "IV", 9: "IX", 27: "XXVII", 48: "XLVIII", 93: "XCIII", 1024: "MXXIV"}


class RomanCase(unittest.TestCase):
    def __init__(self, name="test_roman", number=0, expected=""):
        super().__init__(name)
        self.number, self.expected = number, expected

    def test_roman(self):
        self.assertEqual(roman(self.number), self.expected)


class EmptyTest(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(roman(0), "")


def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    suite.addTests(RomanCase(number=number, expected=text) for number, text in CASES.items())
    suite.addTests(loader.loadTestsFromTestCase(EmptyTest))
    return suite
