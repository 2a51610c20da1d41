"""Percentile and BCa intervals from given replicates, and exact bootstrap distributions.

Writes golden/bootstrap-interval.json (numpy quantiles, scipy normal) and golden/bootstrap-exact.json (all n^n
resamples of small suites, enumerated in fractions).
"""
from fractions import Fraction
from itertools import product

import numpy as np
import scipy
from scipy.stats import norm

from golden import write

rng = np.random.default_rng(7)


def intervals(replicates, value, left_out, level):
    t, a0 = np.sort(np.array(replicates)), (1 - level) / 2
    percentile = np.quantile(t, [a0, 1 - a0])
    d = np.mean(left_out) - np.array(left_out)
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    z0 = norm.ppf(((t < value).sum() + 0.5 * (t == value).sum()) / len(t))
    tails = [norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (norm.ppf(a0), norm.ppf(1 - a0))]
    return {"acceleration": float(a), "percentile": percentile.tolist(), "bca": np.quantile(t, tails).tolist()}


vectors = []
for size, resamples, level, draw in [
    (8, 199, 0.95, lambda n: rng.exponential(size=n)),
    (30, 499, 0.9, lambda n: rng.lognormal(size=n)),
    (15, 299, 0.99, lambda n: rng.integers(0, 2, n).astype(float)),
    (12, 199, 0.5, lambda n: rng.standard_normal(n)),
    (50, 999, 0.95, lambda n: rng.pareto(2.5, size=n)),
]:
    x = draw(size)
    replicates = [float(np.mean(x[rng.integers(0, size, size)])) for _ in range(resamples)]
    left_out = [float(np.mean(np.delete(x, i))) for i in range(size)]
    value = float(np.mean(x))
    vectors.append({"level": level, "value": value, "leftOut": left_out, "replicates": replicates,
                    **intervals(replicates, value, left_out, level)})
write("bootstrap-interval", f"numpy {np.__version__}, scipy {scipy.__version__}", __file__, vectors)

exact = []
for rows in [
    [(3, 1), (5, 2), (4, 0)],
    [(1, 0), (2, 0), (7, 1), (2, 3)],
    [(2, 1), (2, 1), (2, 1), (9, 4), (1, 0)],
    [(5, 1), (1, 4), (3, 1), (3, 1), (8, 2), (2, 2)],
]:
    n, ratios, means, infinite = len(rows), [], [], 0
    for pick in product(range(n), repeat=n):
        cost, passes = (sum(Fraction(rows[i][j]) for i in pick) for j in (0, 1))
        means.append(passes / n)
        if passes == 0:
            infinite += 1
        else:
            ratios.append(cost / passes)
    mean = sum(means) / len(means)
    total = sum(rows[i][0] for i in range(n)), sum(rows[i][1] for i in range(n))
    left = [[Fraction(total[j] - row[j]) for j in (0, 1)] for row in rows]
    left_ratio = [c / p for c, p in left] if all(p > 0 for _, p in left) else None
    acceleration = None
    if left_ratio:
        centre = sum(left_ratio) / n
        cubes = sum((centre - r) ** 3 for r in left_ratio)
        squares = sum((centre - r) ** 2 for r in left_ratio)
        acceleration = float(cubes) / (6 * float(squares) ** 1.5)
    exact.append({
        "rows": rows, "ratio": float(Fraction(*total)), "infiniteShare": infinite / n**n,
        "meanSd": float(sum((m - mean) ** 2 for m in means) / len(means)) ** 0.5,
        "medianRatio": float(sorted(ratios)[len(ratios) // 2]),
        "belowRatio": sum(r < Fraction(*total) for r in ratios) / n**n,
        "acceleration": acceleration,
    })
write("bootstrap-exact", "Python fractions", __file__, exact)
