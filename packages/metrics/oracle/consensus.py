"""Consensus over runs of a judge, and how far the runs are apart, in exact rationals. Writes golden/consensus.json."""
from fractions import Fraction as F
from itertools import combinations

import numpy as np

from golden import write

rng = np.random.default_rng(18)


def consensus(scores, confidences):
    s, c = [F(x) for x in scores], [F(x) for x in confidences]
    total = sum(c)
    return float(sum(s) / len(s) if total == 0 else sum(a * b for a, b in zip(s, c)) / total)


def difference(scores):
    pairs = list(combinations([F(x) for x in scores], 2))
    return float(sum(abs(a - b) for a, b in pairs) / len(pairs)) if pairs else None


RUNS = [
    ([0.8, 0.85, 0.75], [0.9, 0.7, 0.8]), ([0.8], [0.9]), ([0.8], [0.0]), ([0.2, 0.9], [0.0, 0.0]), ([0.0, 1.0], [0.0, 1.0]),
    ([0.9, 0.9, 0.3], [1.0, 1.0, 1.0]), ([1.0, 1.0, 1.0], [0.1, 0.2, 0.3]), ([0.1, 0.2], [5e-324, 5e-324]),
    ([0.7, 0.3], [1e-300, 1.0]), ([0.0, 0.0, 0.0], [0.5, 0.5, 0.5]), ([0.25, 0.5, 0.75, 1.0], [0.2, 0.4, 0.6, 0.8]),
]
for n in (2, 3, 5, 8, 20):
    RUNS.append((rng.random(n).tolist(), rng.random(n).tolist()))
    RUNS.append((rng.choice([0, 0.25, 0.5, 0.75, 1], n).tolist(), rng.choice([0, 0.1, 0.9], n).tolist()))
write("consensus", "Python fractions", __file__, [
    {"scores": s, "confidences": c, "consensus": consensus(s, c), "difference": difference(s)} for s, c in RUNS
])
