"""Tests of counts in exact rationals: Fisher, McNemar, the stratified test, homogeneity.

Writes golden/fisher-exact.json, mcnemar.json, stratified-test.json and homogeneity-test.json. Every answer is checked
against scipy or statsmodels where those have the test.
"""
import itertools
import random
from fractions import Fraction
from math import comb, lcm

import scipy
import statsmodels
from scipy.stats import chi2_contingency, fisher_exact
from statsmodels.stats.contingency_tables import mcnemar

from golden import write

TOLERANCE = 1 + Fraction(1, 10**7)  # the 1e-7 with which R calls two probabilities equal


def hypergeometric(marked, others, drawn):
    return {k: comb(marked, k) * comb(others, drawn - k) for k in range(max(0, drawn - others), min(marked, drawn) + 1)}


def tails(weights, observed):
    total = sum(weights.values())
    share = lambda keep: float(Fraction(sum(w for k, w in weights.items() if keep(k, w)), total))
    limit = weights[observed] * TOLERANCE
    return {
        "twoSided": share(lambda k, w: w <= limit),
        "less": share(lambda k, w: k <= observed),
        "greater": share(lambda k, w: k >= observed),
    }


def close(x, y, tolerance):
    assert abs(x - y) <= tolerance * max(abs(x), abs(y)), (x, y)


# Fisher ------------------------------------------------------------------------------------------------------------
TABLES = [
    (5, 0, 0, 5), (5, 0, 1, 4), (3, 1, 1, 3), (0, 0, 0, 0), (0, 0, 3, 4), (4, 0, 7, 0), (1, 9, 11, 3), (10, 2, 3, 15),
    (8, 2, 1, 5), (6, 0, 0, 6), (0, 6, 6, 0), (2, 8, 5, 5), (1, 0, 0, 1), (12, 5, 29, 2), (100, 100, 100, 100),
    (30, 970, 60, 940), (200, 300, 20, 480), (490, 10, 20, 480), (1, 999, 40, 960), (500, 0, 0, 500), (0, 400, 700, 1),
    (2000, 8000, 2300, 7700), (1500, 8500, 2500, 7500), (3, 29997, 40, 29960), (1, 1000, 500, 200), (508, 3, 2, 511),
]
vectors = []
for a, b, c, d in TABLES:
    p = tails(hypergeometric(a + b, c + d, a + c), a)
    if a + b + c + d < 2000 and min(p.values()) > 1e-250:
        for ours, theirs in (("twoSided", "two-sided"), ("less", "less"), ("greater", "greater")):
            close(p[ours], fisher_exact([[a, b], [c, d]], theirs)[1], 1e-8)
    vectors.append({"a": a, "b": b, "c": c, "d": d, **p})
write("fisher-exact", f"Python fractions, checked against scipy {scipy.__version__}", __file__, vectors)

# McNemar -----------------------------------------------------------------------------------------------------------
vectors = []
for b, c in [(1, 7), (0, 0), (0, 1), (1, 1), (0, 5), (0, 6), (3, 3), (10, 20), (2, 12), (50, 50), (40, 70), (500, 400),
             (7, 300), (0, 1000), (5, 1000), (5000, 5400), (1, 0), (12, 2)]:
    n, few = b + c, min(b, c)
    below = sum(comb(n, k) for k in range(few))
    at = comb(n, few)
    # Fagerland, Lydersen and Laake 2013: half of what is exactly as extreme as the data.
    mid = 1 - Fraction(at, 2 * 2**n) if b == c else Fraction(2 * below + at, 2**n)
    exact = 1 if b == c else Fraction(2 * (below + at), 2**n)
    if n == 0:
        mid = exact = 1
    close(float(exact), mcnemar([[0, b], [c, 0]], exact=True).pvalue, 1e-9)
    vectors.append({"b": b, "c": c, "p": float(exact), "midP": float(mid)})
write("mcnemar", f"Python fractions, checked against statsmodels {statsmodels.__version__}", __file__, vectors)


# Stratified ----------------------------------------------------------------------------------------------------------
def stratified(strata):
    sums = {0: 1}
    for nA, cA, nB, cB in strata:
        case = hypergeometric(nB, nA, cA + cB)
        grown = {}
        for s, w in sums.items():
            for k, v in case.items():
                grown[s + k] = grown.get(s + k, 0) + w * v
        sums = grown
    return tails(sums, sum(s[3] for s in strata))


rng = random.Random(20260)


def suite(cases, nA, nB, shift):
    result = []
    for _ in range(cases):
        p = rng.betavariate(0.5, 0.5)
        q = min(1, max(0, p + shift))
        draw = lambda n, rate: sum(rng.random() < rate for _ in range(n))
        result.append((nA, draw(nA, p), nB, draw(nB, q)))
    return result


SUITES = [
    [(5, 5, 5, 2), (5, 4, 5, 1)],
    [(5, 3, 5, 3)],
    [(1, 1, 1, 0)] * 7 + [(1, 0, 1, 1)] + [(1, 1, 1, 1)] * 5,
    [(5, 5, 5, 5), (3, 0, 4, 0)],
    [(5, 5, 5, 4), (10, 3, 2, 2), (1, 0, 7, 3), (4, 4, 4, 0)],
    [(0, 0, 5, 2), (5, 3, 5, 1)],
    suite(20, 5, 5, 0), suite(20, 5, 5, -0.1), suite(20, 10, 10, -0.2), suite(50, 20, 20, -0.05), suite(30, 4, 9, 0.15),
    suite(100, 10, 10, -0.25), suite(12, 100, 80, 0.02),
    [(20, 20, 20, 0)] * 20,
    [(40, 38, 40, 3)] * 10 + [(7, 3, 5, 5)] * 4,
]
vectors = []
for strata in SUITES:
    vectors.append({
        "strata": [dict(zip(("nA", "cA", "nB", "cB"), s)) for s in strata],
        **stratified(strata),
    })
write("stratified-test", "Python fractions", __file__, vectors)


# Homogeneity -----------------------------------------------------------------------------------------------------------
def exact_homogeneity(groups):
    """All splits of the passes over the groups whose sum of c^2/n is at least the observed one."""
    passes = sum(c for _, c in groups)
    multiple = lcm(*(n for n, _ in groups))
    statistic = lambda cs: sum(multiple // n * c * c for (n, _), c in zip(groups, cs))
    observed = statistic([c for _, c in groups])
    total = extreme = 0
    for cs in itertools.product(*(range(n + 1) for n, _ in groups)):
        if sum(cs) != passes:
            continue
        weight = 1
        for (n, _), c in zip(groups, cs):
            weight *= comb(n, c)
        total += weight
        if statistic(cs) >= observed:
            extreme += weight
    assert total == comb(sum(n for n, _ in groups), passes)
    return float(Fraction(extreme, total))


def pearson(groups):
    n, c = sum(g[0] for g in groups), sum(g[1] for g in groups)
    return float(sum(Fraction((ci * n - ni * c) ** 2, ni) for ni, ci in groups) / (c * (n - c))) if 0 < c < n else 0.0


SMALL = [
    [(5, 5), (5, 0)], [(5, 5), (5, 5), (5, 5)], [(10, 8), (10, 5), (10, 9)], [(4, 0), (4, 1), (4, 0)],
    [(10, 10), (10, 7), (10, 6), (10, 10)], [(3, 1), (7, 5), (12, 2)], [(2, 2), (9, 4), (5, 0), (6, 6)],
    [(10, 6), (10, 6), (10, 6)], [(1, 0), (1, 1), (30, 15)], [(17, 3), (23, 19)], [(5, 5)] * 3 + [(5, 0)] * 3,
    [(12, 1), (12, 11), (12, 6)], [(40, 39), (40, 2), (3, 1)],
]
LARGE = [
    [(5000, 2500), (6000, 3100)], [(2000, 1900), (2000, 1850), (1500, 1430)], [(10**6, 500), (10**6, 600), (10**6, 555)],
    [(101, 50), (103, 60), (107, 40), (109, 55), (113, 70), (127, 66)],
]
vectors = []
for groups in SMALL + LARGE:
    statistic = pearson(groups)
    exact = groups in SMALL
    if 0 < sum(c for _, c in groups) < sum(n for n, _ in groups):
        chi2, p, df, _ = chi2_contingency([[c, n - c] for n, c in groups], correction=False)
        close(chi2, statistic, 1e-9) if statistic > 1e-9 else None
    vectors.append({
        "groups": [{"n": n, "c": c} for n, c in groups], "statistic": statistic,
        "p": exact_homogeneity(groups) if exact else p, "method": "exact" if exact else "chiSquare",
    })
write("homogeneity-test", f"Python fractions, scipy {scipy.__version__} for method chiSquare", __file__, vectors)
