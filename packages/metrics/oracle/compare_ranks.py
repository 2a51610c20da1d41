"""Permutation and rank tests by enumerating every permutation in exact rationals; the large forms by scipy.

Writes golden/sign-flip.json, signed-rank.json, mann-whitney.json, kruskal-wallis.json, spearman.json, cliffs-delta.json.
"""
import itertools
import math
import random
from fractions import Fraction

import mpmath
import scipy
from mpmath import mp, mpf
from scipy import stats

from golden import write

rng = random.Random(7411)
mp.dps = 40
SCIPY = f"scipy {scipy.__version__}"


def shares(outcomes, observed, centre):
    """Shares of equally likely outcomes at least as extreme as the observed one."""
    outcomes = list(outcomes)
    share = lambda keep: float(Fraction(sum(map(keep, outcomes)), len(outcomes)))
    return {
        "twoSided": share(lambda s: abs(s - centre) >= abs(observed - centre)),
        "less": share(lambda s: s <= observed),
        "greater": share(lambda s: s >= observed),
    }


def midranks(values):
    ordered = sorted(values)
    first = {v: ordered.index(v) for v in set(ordered)}
    return [Fraction(2 * first[v] + ordered.count(v) + 1, 2) for v in values]


def flips(magnitudes):
    for signs in itertools.product((0, 1), repeat=len(magnitudes)):
        yield sum(m for m, s in zip(magnitudes, signs) if s)


# Sign flips ---------------------------------------------------------------------------------------------------------
def rates(cases):
    return [Fraction(cB, nB) - Fraction(cA, nA) for nA, cA, nB, cB in cases]


def draw(cases, sizes):
    result = []
    for _ in range(cases):
        nA, nB = rng.choice(sizes), rng.choice(sizes)
        result.append((nA, rng.randint(0, nA), nB, rng.randint(0, nB)))
    return result


PAIRS = [
    [(5, 1, 5, 2), (5, 1, 5, 2), (5, 1, 5, 3), (5, 1, 5, 2), (5, 2, 5, 1), (5, 0, 5, 0)],
    [(5, 3, 5, 3)] * 4, [(5, 5, 5, 0)], [(5, 5, 5, 0)] * 14, [(1, 1, 1, 0)] * 9 + [(1, 0, 1, 1)] * 3,
    draw(12, [5]), draw(14, [10]), draw(13, [3, 4, 5, 7]), draw(12, [6, 9, 10]), draw(11, [20]), draw(10, [7, 11, 13]),
]
vectors = []
for cases in PAIRS:
    d = rates(cases)
    sizes = [abs(x) for x in d]
    positive = sum(x for x in d if x > 0)
    vectors.append({
        # Divided and subtracted as a caller would, rounding and all.
        "differences": [cB / nB - cA / nA for nA, cA, nB, cB in cases],
        **shares(flips(sizes), positive, sum(sizes) / 2),
    })
write("sign-flip", "Python fractions, all sign patterns", __file__, vectors)

# Signed ranks ---------------------------------------------------------------------------------------------------------
LISTS = [
    [1, 2, 3, 4, -5], [0, 0, 1], [0, 0, 0], [2, 2, -2, 2], [1, -1, 2, -2, 3, -3], [5], [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
    [rng.randint(-4, 6) for _ in range(12)], [rng.randint(-9, 9) for _ in range(13)], [rng.randint(-1, 2) for _ in range(14)],
    rng.sample(range(1, 60), 7) + [-x for x in rng.sample(range(60, 120), 6)],
]
vectors = []
for values in LISTS:
    for zeros in ("wilcoxon", "pratt"):
        kept = [v for v in values if v != 0 or zeros == "pratt"]
        pairs = [(v, r) for v, r in zip(kept, midranks([abs(v) for v in kept])) if v != 0]
        ranks = [r for _, r in pairs]
        positive = sum(r for v, r in pairs if v > 0)
        p = shares(flips(ranks), positive, Fraction(sum(ranks), 2))
        if len(set(map(abs, values))) == len(values) and 0 not in values:
            for ours, theirs in (("twoSided", "two-sided"), ("less", "less"), ("greater", "greater")):
                assert abs(stats.wilcoxon(values, mode="exact", alternative=theirs).pvalue - p[ours]) < 1e-12
        vectors.append({"differences": values, "zeros": zeros, "positive": float(positive), "method": "exact", **p})
for values in ([rng.gauss(0.02, 1) for _ in range(450)], [rng.randint(-8, 9) for _ in range(600)],
               [rng.randint(-3, 4) for _ in range(500)]):
    for zeros, theirs in (("wilcoxon", "wilcox"), ("pratt", "pratt")):
        run = lambda side: stats.wilcoxon(values, zero_method=theirs, mode="approx", correction=True, alternative=side)
        vectors.append({
            "differences": values, "zeros": zeros, "positive": float(run("greater").statistic), "method": "normal",
            "twoSided": run("two-sided").pvalue, "less": run("less").pvalue, "greater": run("greater").pvalue,
        })
write("signed-rank", f"Python fractions, all sign patterns; {SCIPY} for method normal", __file__, vectors)

# Mann-Whitney -----------------------------------------------------------------------------------------------------------
SAMPLES = [
    ([4, 5, 6], [1, 2, 3]), ([1], [2]), ([1, 1], [1, 1, 1]), ([0, 0, 1], [1, 1, 1, 0]), ([1, 2, 2, 3], [2, 2, 4, 5, 5]),
    ([3, 3, 3, 7], [1, 3, 9, 9, 9, 9, 10]), ([0.2, 0.4, 0.4, 1.0], [0.0, 0.2, 0.2, 0.4, 0.6, 0.8]),
    ([rng.randint(0, 5) for _ in range(7)], [rng.randint(0, 5) for _ in range(8)]),
    ([rng.randint(0, 3) for _ in range(11)], [rng.randint(1, 4) for _ in range(4)]),
    (rng.sample(range(100), 6), rng.sample(range(100, 200), 9)), ([1, 5, 9], list(range(10, 20))), ([1] * 5, [0] * 6),
    ([50, 3, 8, 21, 7, 90, 33], [1, 2, 4, 6, 10, 12, 14]),
]
SIDES = (("twoSided", "two-sided"), ("less", "less"), ("greater", "greater"))
vectors = []
for x, y in SAMPLES:
    ranks = midranks(x + y)
    nx, n = len(x), len(x) + len(y)
    sums = (sum(choice) for choice in itertools.combinations(ranks, nx))
    p = shares(sums, sum(ranks[:nx]), Fraction(nx * sum(ranks), n))
    u = sum(ranks[:nx]) - Fraction(nx * (nx + 1), 2)
    if len(set(x + y)) == n:
        for ours, theirs in SIDES:
            assert abs(stats.mannwhitneyu(x, y, alternative=theirs, method="exact").pvalue - p[ours]) < 1e-12
    vectors.append({"x": x, "y": y, "u": float(u), "method": "exact", **p})
for x, y, method in (
    (rng.sample(range(10**6), 40), rng.sample(range(10**5, 10**6), 45), "exact"),
    (rng.sample(range(10**6), 90), rng.sample(range(10**6), 8), "exact"),
    ([rng.gauss(0.1, 1) for _ in range(150)], [rng.gauss(0, 1) for _ in range(170)], "normal"),
    ([rng.randint(0, 5) / 5 for _ in range(300)], [rng.randint(0, 5) / 5 for _ in range(250)], "normal"),
    ([rng.gauss(3, 1) for _ in range(200)], [rng.gauss(0, 1) for _ in range(200)], "normal"),
):
    theirs = "asymptotic" if method == "normal" else "exact"
    run = lambda side: stats.mannwhitneyu(x, y, alternative=side, method=theirs, use_continuity=True)
    vectors.append({
        "x": x, "y": y, "u": float(run("less").statistic), "method": method, **{ours: run(side).pvalue for ours, side in SIDES},
    })
write("mann-whitney", f"Python fractions, all choices; {SCIPY} for samples above 20", __file__, vectors)

# Kruskal-Wallis ----------------------------------------------------------------------------------------------------------
vectors = []
for groups in (
    [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 1, 2], [2, 2, 3, 3]], [[0, 0, 1, 1], [1, 1, 1], [0, 1, 0, 0, 0], [1]],
    [[rng.gauss(i / 3, 1) for _ in range(8 + i)] for i in range(5)], [[rng.randint(0, 4) for _ in range(40)] for _ in range(7)],
    [[rng.gauss(3 * i, 1) for _ in range(60)] for i in range(4)], [[1], [2]], [[5.5, 2.25], [5.5, 2.25]],
):
    h, p = stats.kruskal(*groups)
    vectors.append({"groups": groups, "h": max(0.0, float(h)) if abs(h) > 1e-12 else 0.0, "p": float(p)})
write("kruskal-wallis", SCIPY, __file__, vectors)

# Spearman -------------------------------------------------------------------------------------------------------------------
vectors = []
for x, y in (
    ([1, 2, 3, 4], [1, 3, 2, 4]), ([1, 2], [2, 1]), ([1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1]), ([1, 1, 2, 3], [2, 2, 1, 5]),
    ([0, 0, 0, 1, 1], [3, 1, 2, 5, 4]), ([1, 2, 2, 2, 5, 6, 6], [4, 4, 1, 2, 9, 9, 7]), ([3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]),
    ([0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]),
):
    rx, ry = midranks(x), midranks(y)
    n = len(x)
    products = lambda order: sum(a * b for a, b in zip(rx, order))
    centre = sum(rx) * sum(ry) / n
    p = shares(map(products, itertools.permutations(ry)), products(ry), centre)
    vectors.append({"x": x, "y": y, "rho": float(stats.spearmanr(x, y)[0]), "method": "exact", **p})
for x, y in (
    ([rng.gauss(0, 1) for _ in range(11)], [rng.gauss(0, 1) for _ in range(11)]),
    ([rng.randint(0, 5) for _ in range(40)], [rng.randint(0, 5) for _ in range(40)]),
    (list(range(30)), [v + rng.gauss(0, 3) for v in range(30)]), (list(range(200)), [-v + rng.gauss(0, 80) for v in range(200)]),
):
    sides = {ours: float(stats.spearmanr(x, y, alternative=theirs)[1]) for ours, theirs in SIDES}
    vectors.append({"x": x, "y": y, "rho": float(stats.spearmanr(x, y)[0]), "method": "t", **sides})
for x, y in (
    (list(range(15)), [v**3 for v in range(15)]), (list(range(15)), [-v for v in range(15)]),
    ([0] * 10 + [1], [3] * 10 + [7]), ([0] * 6 + [1] * 6, [1] * 6 + [0] * 6), ([0] * 9 + [1, 1, 2], [5] * 9 + [6, 6, 9]),
):
    # Of the n! orders, those that exchange equal values keep rho; the reverse order exists if the groups mirror each other.
    rho, sizes = float(stats.spearmanr(x, y)[0]), [x.count(v) for v in sorted(set(x))]
    share = Fraction(1, math.factorial(len(x)))
    for size in sizes:
        share *= math.factorial(size)
    both = share * (2 if sizes == sizes[::-1] else 1)
    sign = 1 if rho > 0 else -1
    p = {"twoSided": float(both), "greater": float(share) if sign > 0 else 1.0, "less": float(share) if sign < 0 else 1.0}
    vectors.append({"x": x, "y": y, "rho": float(sign), "method": "exact", **p})
write("spearman", f"Python fractions, all orders; {SCIPY} for method t", __file__, vectors)


# Cliff's delta -----------------------------------------------------------------------------------------------------------------
def crossing(gap, outside, inside):
    """Where gap changes its sign between an end where it is positive and the estimate where it is not."""
    for _ in range(120):
        middle = (outside + inside) / 2
        if gap(middle) > 0:
            outside = middle
        else:
            inside = middle
    return outside


def rate_difference(x, y, z):
    """Newcombe's tenth method for how much more often x has the higher of two values: Wilson's bounds as roots."""
    def wilson(values):
        n, rate = mpf(len(values)), mpf(sum(v == max(x + y) for v in values)) / len(values)
        roots = mpmath.polyroots([1 + z * z / n, -(2 * rate + z * z / n), rate * rate], maxsteps=200, extraprec=200)
        low, high = sorted(mpmath.re(root) for root in roots)
        return rate, low, high

    (px, lx, hx), (py, ly, hy) = wilson(x), wilson(y)
    d = px - py
    return {"low": float(d - mpmath.sqrt((px - lx) ** 2 + (hy - py) ** 2)), "high": float(d + mpmath.sqrt((hx - px) ** 2 + (py - ly) ** 2))}


def cliff(x, y, level):
    """Delta and its bounds from the full matrix of pairs: Feng and Cliff's and Newcombe's fifth, the wider end of each."""
    m, n = len(x), len(y)
    matrix = [[(a > b) - (a < b) for b in y] for a in x]
    d = mpf(sum(map(sum, matrix))) / (m * n)
    z = mpmath.sqrt(2) * mpmath.erfinv(mpf(level))
    if len(set(x) | set(y)) <= 2:
        return {"delta": float(d), **rate_difference(x, y, z)}
    t = (d + 1) / 2
    star = mpf(m + n) / 2 - 1
    gap = lambda th: abs(th - t) - z * mpmath.sqrt(th * (1 - th) * (1 + star * ((1 - th) / (2 - th) + th / (1 + th))) / (m * n))
    low = -1 if d == -1 else 2 * crossing(gap, mpf(0), t) - 1
    high = 1 if d == 1 else 2 * crossing(gap, mpf(1), t) - 1
    if abs(d) < 1 and m > 1 and n > 1:
        rows = [mpf(sum(r)) / n for r in matrix]
        columns = [mpf(sum(c)) / m for c in zip(*matrix)]
        s2 = (n**2 * sum((r - d) ** 2 for r in rows) + m**2 * sum((c - d) ** 2 for c in columns)
              - sum((v - d) ** 2 for r in matrix for v in r)) / (mpf(m) * n * (m - 1) * (n - 1))
        s = mpmath.sqrt(max(s2, (1 - d * d) / (m * n - 1)))
        half = z * s * mpmath.sqrt((1 - d**2) ** 2 + (z * s) ** 2)
        scale = 1 - d**2 + (z * s) ** 2
        low, high = min(low, (d - d**3 - half) / scale), max(high, (d - d**3 + half) / scale)
    return {"delta": float(d), "low": float(low), "high": float(high)}


vectors = []
for x, y, level in (
    ([1, 2, 3], [1, 2, 3], 0.95), ([4, 5, 6], [1, 2, 3], 0.95), ([1, 2, 3], [4, 5, 6, 7], 0.99), ([1], [0, 1, 2, 2], 0.95),
    ([0, 1, 1, 1], [0, 0, 1], 0.9), ([1] * 18 + [0] * 2, [1] * 11 + [0] * 9, 0.95), ([1] * 5, [0] * 5, 0.95), ([rng.gauss(1, 1) for _ in range(20)], [rng.gauss(0, 4) for _ in range(12)], 0.95),
    ([rng.randint(0, 5) / 5 for _ in range(30)], [rng.randint(1, 5) / 5 for _ in range(25)], 0.95),
    ([rng.gauss(2.5, 1) for _ in range(9)], [rng.gauss(0, 1) for _ in range(9)], 0.95), ([1, 1, 1], [1, 1], 0.95),
    ([-9, 9, -8, 8, 7, -7], [rng.gauss(0, 1) for _ in range(15)], 0.8),
):
    vectors.append({"x": x, "y": y, "level": level, **cliff(x, y, level)})
write("cliffs-delta", f"mpmath {mpmath.__version__}, all pairs", __file__, vectors)
