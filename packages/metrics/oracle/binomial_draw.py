"""Binomial probabilities for the test of the draws. Writes golden/binomial-draw.json.

Each vector cuts the outcomes into bins of about equal probability or single outcomes, whichever is coarser,
so that a chi-square test of the draws sees the body and both tails.
"""
import scipy
from scipy.stats import binom

from golden import write

CASES = [
    (1, 0.5), (5, 0.2), (10, 0.99), (20, 0.5), (40, 0.25), (40, 0.2499), (100, 0.0999), (100, 0.1),
    (100, 0.7), (1000, 0.003), (1000, 0.5), (10**4, 1 / 101), (10**4, 0.9), (10**6, 1e-6),
    (10**6, 0.37), (10**9, 2e-8), (10**9, 0.6),
]

vectors = []
for n, p in CASES:
    law = binom(n, p)
    edges, shares, start = [], [], -1
    for q in [1e-3, 5e-3, 0.02, 0.05, *[i / 20 for i in range(2, 20)], 0.98, 0.995, 0.999]:
        k = int(law.ppf(q))
        share = law.cdf(k) - (law.cdf(start) if start >= 0 else 0.0)
        if k > start and k < n and share >= 5e-4 and law.sf(k) >= 5e-4:
            edges.append(k)
            shares.append(share)
            start = k
    shares.append(law.sf(start))
    assert abs(sum(shares) - 1) < 1e-9 and len(shares) >= 2 or p == 1e-6 or n == 1
    vectors.append({"n": n, "p": p, "upTo": edges, "share": shares})
write("binomial-draw", f"scipy.stats.binom {scipy.__version__}", __file__, vectors)
