"""Cost per pass, relative uplift and the bootstrap of small suites, in exact rationals and mpmath.

Writes golden/cost-of-pass-ratio.json, golden/uplift-ratio.json, golden/cost-bootstrap.json.
"""
from fractions import Fraction as F
from itertools import product

import mpmath as mp
import numpy as np
from scipy.stats import t as scipy_t

from golden import write

mp.mp.dps = 40
rng = np.random.default_rng(11)


def mpf(x):
    return mp.mpf(x.numerator) / x.denominator if isinstance(x, F) else mp.mpf(x)


def t_quantile(p, df):
    """scipy's answer, refined by Newton's method in 40 digits."""
    x, df = mp.mpf(float(scipy_t.ppf(float(p), df))), mp.mpf(df)
    density = lambda t: mp.gamma((df + 1) / 2) / (mp.sqrt(df * mp.pi) * mp.gamma(df / 2)) * (1 + t * t / df) ** (-(df + 1) / 2)
    for _ in range(4):
        upper = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + x * x), regularized=True) / 2
        x += (upper - (1 - mp.mpf(p))) / density(x)
    return x


assert abs(t_quantile(0.975, 4) - mp.mpf("2.776445105197793")) < 1e-14


def variance(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / (len(values) - 1)


def cost_of_pass(cases, level):
    m = len(cases)
    cost = sum(F(c["cost"]) for c in cases)
    passes = sum(c["c"] for c in cases)
    if passes == 0:
        low = mpf(cost / sum(c["n"] for c in cases)) / (1 - (1 - mp.mpf(level)) ** (mp.mpf(1) / m))
        return {"value": None, "low": float(low)}
    ratio = cost / passes
    se = mp.sqrt(mpf(variance([F(c["cost"]) - ratio * c["c"] for c in cases]) * m)) / passes
    half = t_quantile((1 + mp.mpf(level)) / 2, m - 1) * se / mpf(ratio)
    return {"value": float(ratio), "low": float(mpf(ratio) * mp.exp(-half)), "high": float(mpf(ratio) * mp.exp(half))}


def case(n, c, cost):
    return {"n": int(n), "c": int(c), "cost": float(cost)}


SUITES = [
    [case(5, 4, 2), case(5, 1, 3)],
    [case(5, 4, 2.5), case(5, 1, 3.25), case(5, 0, 9)],
    [case(1, 1, 1e-9), case(1, 0, 3e-9), case(1, 1, 2e-9)],
    [case(10, 10, 1), case(10, 10, 1.0001), case(10, 10, 1)],
    [case(3, 0, 1)], [case(5, 0, 2), case(7, 0, 0.5), case(1, 0, 11)], [case(5, 0, 0.1) for _ in range(10**4)],
]
for m in (4, 20, 200):
    SUITES.append([case(n := rng.integers(1, 9), rng.binomial(n, 0.4), round(float(rng.lognormal()), 4)) for _ in range(m)])
vectors = [{"cases": s if len(s) < 999 else None, "repeat": [s[0], len(s)] if len(s) > 999 else None, "level": level, **cost_of_pass(s, level)}
           for s in SUITES for level in (0.5, 0.9, 0.95, 0.999)]
write("cost-of-pass-ratio", f"Python fractions, mpmath {mp.__version__}", __file__, vectors)

uplift = []
for base, tier in [
    ([0.5, 0.7, 0.6], [0.6, 0.8, 0.7]), ([0.5, 0.7, 0.6], [0.1, 0, 0]), ([1, 0.8], [0.9, 0.9]),
    ([0, 0.1, 0, 0.2], [0.4, 0.4, 0.5, 0.1]), ([0, 0], [0.4, 0.4]), ([0.5, 0.25], [0, 0]), ([0.5], [0.75]),
    ([3, 4, 5, 4, 3, 5], [1, 2, 2, 3, 1, 1]),
    *[((rng.integers(2, 6, m) / 5).tolist(), (rng.integers(1, 6, m) / 5).tolist()) for m in (8, 40, 150)],
]:
    for level in (0.8, 0.95):
        m, a, b = len(base), [F(x) for x in base], [F(x) for x in tier]
        A, B = sum(a) / m, sum(b) / m
        row = {"baseline": base, "tier": tier, "level": level, "value": float(B / A - 1) if A else None, "low": None, "high": None}
        if A > 0 and B > 0 and m > 1:
            t = t_quantile((1 + mp.mpf(level)) / 2, m - 1)
            if mpf(A) - t * mp.sqrt(mpf(variance(a) / m)) > 0:
                half = t * mp.sqrt(mpf(variance([y / B - x / A for x, y in zip(a, b)]) / m))
                if half > 0:
                    row["low"] = float(mpf(B / A) * mp.exp(-half) - 1)
                    row["high"] = float(mpf(B / A) * mp.exp(half) - 1)
        uplift.append(row)
write("uplift-ratio", f"Python fractions, mpmath {mp.__version__}", __file__, uplift)


def pareto(points):
    return [i for i, (c, q) in enumerate(points)
            if not any(c2 <= c and q2 >= q and (c2, q2) != (c, q) for c2, q2 in points)]


exact = []
for subjects in [
    [[(1, 0, 1), (1, 1, 1), (1, 1, 2)], [(1, 1, 3), (1, 1, 3), (1, 0, 2)], [(1, 0, 2), (1, 0, 2), (1, 1, 3)]],
    [[(4, 1, 8), (4, 3, 2), (4, 0, 3), (4, 2, 4), (4, 4, 3)], [(2, 1, 4), (2, 1, 1), (2, 0, 1), (2, 2, 3), (2, 1, 1)]],
]:
    m, hits = len(subjects[0]), [0] * len(subjects)
    for pick in product(range(m), repeat=m):
        for s in pareto([(sum(F(sub[i][2], sub[i][0]) for i in pick), sum(F(sub[i][1], sub[i][0]) for i in pick)) for sub in subjects]):
            hits[s] += 1
    exact.append({"subjects": [[case(*c) for c in sub] for sub in subjects], "membership": [h / m**m for h in hits]})
medians = []
for scores in [[0.2, 0.9, 0.96, 1, 0.5], [0.4, 0.4, 0.8, 1, 0.9, 0.6], [0.1, 0.7]]:
    m, counts = len(scores), {}
    for pick in product(scores, repeat=m):
        s = sorted(pick)
        median = s[m // 2] if m % 2 else (s[m // 2 - 1] + s[m // 2]) / 2
        counts[round(median, 9)] = counts.get(round(median, 9), 0) + 1
    medians.append({"scores": scores, "medians": sorted([v, c / m**m] for v, c in counts.items())})
write("cost-bootstrap", "Python fractions, all resamples enumerated", __file__, exact + medians)
