import unittest

from acronym import (
    abbreviate,
)


class AcronymTest(unittest.TestCase):
    def test_basic(self):
        self.assertEqual(abbreviate("Random Access Memory"), "RAM")

    def test_lowercase_words(self):
        self.assertEqual(abbreviate("Ruby on Rails"), "ROR")

    def test_punctuation(self):
        self.assertEqual(abbreviate("First in, first out"), "FIFO")

    def test_apostrophes(self):
        self.assertEqual(abbreviate("Halley's Comet"), "HC")

    def test_hyphens_and_underscores(self):
        self.assertEqual(abbreviate("The Road _Not_ Taken - half-way"), "TRNTHW")


if __name__ == "__main__":
    unittest.main()
