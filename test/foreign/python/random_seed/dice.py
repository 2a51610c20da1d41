import random


def roll(count, sides=6):
    return [random.randint(1, sides) for _ in range(count)]


class Deck:
    def __init__(self, rng=random):
        self.cards = list(range(52))
        self.rng = rng

    def shuffle(self):
        self.rng.shuffle(self.cards)
        return self

    def deal(self):
        return self.cards.pop()


def sample(values, k, seed=None):
    return random.Random(seed).sample(values, k)
