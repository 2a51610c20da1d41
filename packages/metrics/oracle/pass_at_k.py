"""pass@k, pass^k and their plug-in twins in exact rationals. Writes golden/pass-at-k.json."""
from fractions import Fraction
from math import comb

from golden import write


def miss(n, m, k):
    """C(n-m, k)/C(n, k) as a product, so that n = 2e15 needs no huge binomials."""
    a, b = min(m, k), max(m, k)
    if b > n:
        return Fraction(0)
    q = Fraction(1)
    for i in range(a):
        q *= Fraction(n - i - b, n - i) if n - i >= b else 0
    return q


CASES = [
    (5, 3, 5), (5, 4, 5), (10, 3, 1), (10, 3, 5), (200, 1, 100), (8, 6, 4), (10, 8, 5), (10, 8, 1),
    (1, 0, 1), (1, 1, 1), (7, 0, 3), (57, 28, 29), (100, 50, 50), (164, 3, 10), (200, 17, 100),
    (1000, 1, 10), (1000, 10, 500), (3000, 2999, 7),
    (10**6, 1, 1), (10**6, 1, 10), (10**6, 3, 100), (10**6, 1000, 1000), (10**6, 500000, 10),
    (10**6, 999990, 11), (10**6, 999999, 1000), (10**6, 800000, 20), (10**6, 5, 5),
    (10**12, 7, 5), (10**12, 10**6, 7), (2 * 10**15, 3, 4), (9 * 10**15, 9 * 10**15 - 1, 3),
]

vectors = []
for n, c, k in CASES:
    assert miss(n, c, k) == Fraction(comb(n - c, k), comb(n, k)) if n <= 3000 else True
    vectors.append({
        "n": n, "c": c, "k": k,
        "passAtK": float(1 - miss(n, c, k)),
        "passHatK": float(miss(n, n - c, k)),
    })
write("pass-at-k", "Python fractions", __file__, vectors)
