import random
import unittest

import dice


class DiceTest(unittest.TestCase):
    def setUp(self):
        random.seed(1234)

    def test_same_seed_same_rolls(self):
        first = dice.roll(10)
        random.seed(1234)
        self.assertEqual(dice.roll(10), first)

    def test_matches_the_library(self):
        expected = [random.randint(1, 6) for _ in range(5)]
        random.seed(1234)
        self.assertEqual(dice.roll(5), expected)

    def test_range(self):
        self.assertTrue(all(1 <= n <= 20 for n in dice.roll(200, sides=20)))
        self.assertGreater(max(dice.roll(200, 20)), 6)

    def test_deck(self):
        deck = dice.Deck(random.Random(5)).shuffle()
        self.assertNotEqual(deck.cards, list(range(52)))
        self.assertCountEqual(deck.cards, range(52))
        self.assertEqual(len({deck.deal() for _ in range(52)}), 52)

    def test_sample(self):
        self.assertEqual(dice.sample(range(100), 3, seed=7), dice.sample(range(100), 3, seed=7))
        self.assertEqual(len(set(dice.sample(range(5), 5))), 5)
