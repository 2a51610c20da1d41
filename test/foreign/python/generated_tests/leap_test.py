import unittest

from leap import leap_year

CASES = [
    ("not_divisible_by_4", 2015, False),
    ("divisible_by_2_not_4", 1970, False),
    ("divisible_by_4", 1996, True),
    ("divisible_by_100", 1900, False),
    ("divisible_by_400", 2000, True),
    ("divisible_by_200_not_400", 1800, False),
]


class LeapTest(unittest.TestCase):
    """Its tests are made below."""


def make(year, expected):
    def test(self):
        self.assertIs(leap_year(year), expected)

    return test


for name, year, expected in CASES:
    setattr(LeapTest, "test_" + name, make(year, expected))


if __name__ == "__main__":
    unittest.main()
