"""Sums and means of doubles in exact rationals. Writes golden/sums.json."""
import random
from fractions import Fraction as F

from golden import write

rng = random.Random(7)
lists = [[0.1, 0.2, 0.3], [0.7] * 3, [1, 1e100, 1, -1e100], [1e16, 1, 1e-16], [1e308, 1e308, -1e308], [5e-324] * 3,
         [2**53, 1, 1e-40], [2**53, 1, -1e-40], [0.0], [-0.1] * 10]
lists += [[rng.choice([0.1, 0.7, 0.83, 1.0]) for _ in range(rng.randrange(1, 60))] for _ in range(30)]
lists += [[rng.uniform(-1, 1) * 10 ** rng.randrange(-20, 20) for _ in range(rng.randrange(1, 60))] for _ in range(30)]
write("sums", "Python fractions", __file__, [
    {"values": v, "sum": float(sum(map(F, v))), "mean": float(sum(map(F, v)) / len(v))}
    for v in lists if abs(sum(map(F, v))) < F(2) ** 1023 and max(v) < 1e300
])
