"""Figures over groups of cases, where the group is the unit: Cliff's delta, Cohen's kappa and the cost of a pass.

Nothing here uses the closed formulas of the library. The standard error of delta and of kappa is that of the infinitesimal
jackknife: every group gets a weight, the figure is computed from all weighted pairs or ratings in 60 digits, and its
derivative with respect to the weight of each group is a difference quotient. The cost of a pass adds up the cases of a group
in exact rationals.

The mean and its cluster-robust standard error are those of a regression on a constant, by statsmodels.

Writes golden/clustered-se.json, golden/cliffs-delta-grouped.json, golden/cohen-kappa-grouped.json, golden/cost-of-pass-grouped.json.
"""
import random
from fractions import Fraction as F

import mpmath as mp
import numpy as np
import statsmodels
import statsmodels.api as sm
from scipy.stats import t as scipy_t

from golden import write

mp.mp.dps = 60
rng = random.Random(20261118)
STEP = mp.mpf(10) ** -20


def t_quantile(level, df):
    outside = (1 - mp.mpf(level)) / 2
    tail = lambda t: mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return mp.findroot(lambda t: tail(t) - outside, mp.mpf(float(scipy_t.ppf((1 + level) / 2, float(df)))))


def jackknife_se(figure, names):
    """`figure` takes a weight for each group. Returns the standard error with the factor G/(G - 1)."""
    groups = list(dict.fromkeys(names))
    slopes = []
    for group in groups:
        at = lambda w: figure({name: (w if name == group else mp.mpf(1)) for name in groups})
        slopes.append((at(1 + STEP) - at(1 - STEP)) / (2 * STEP))
    return mp.sqrt(mp.mpf(len(groups)) / (len(groups) - 1) * mp.fsum(s * s for s in slopes))


def degrees(names):
    return mp.mpf(len(names)) ** 2 / sum(names.count(name) ** 2 for name in set(names)) - 1


def sign(a, b):
    return (a > b) - (a < b)


def root(f, inside, end):
    """Where f changes its sign between a point inside the interval and the end of the range."""
    for _ in range(150):
        middle = (inside + end) / 2
        inside, end = (inside, middle) if f(middle) > 0 else (middle, end)
    return end


def delta_row(x, y, gx, gy, level):
    def figure(w):
        top = mp.fsum(w[g] * w[h] * sign(a, b) for a, g in zip(x, gx) for b, h in zip(y, gy))
        return top / (mp.fsum(w[g] for g in gx) * mp.fsum(w[h] for h in gy))

    names = gx + gy
    d = figure({name: mp.mpf(1) for name in names})
    z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))
    m, n = len(set(gx)), len(set(gy))
    if len(set(x) | set(y)) <= 2:
        # Two Wilson intervals with as many observations as groups, joined by Newcombe's method.
        best = max(x + y)
        p, q = mp.mpf(x.count(best)) / len(x), mp.mpf(y.count(best)) / len(y)
        outside = lambda rate, size: lambda th: (th - rate) ** 2 - z * z * th * (1 - th) / size
        (pl, ph), (ql, qh) = [(root(outside(r, s), r, mp.mpf(0)), root(outside(r, s), r, mp.mpf(1))) for r, s in ((p, m), (q, n))]
        low, high = d - mp.sqrt((p - pl) ** 2 + (qh - q) ** 2), d + mp.sqrt((ph - p) ** 2 + (q - ql) ** 2)
    else:
        theta, star = (d + 1) / 2, mp.mpf(m + n) / 2 - 1
        gap = lambda th: (th - theta) ** 2 - z * z * th * (1 - th) * (1 + star * ((1 - th) / (2 - th) + th / (1 + th))) / (m * n)
        low, high = 2 * root(gap, theta, mp.mpf(0)) - 1, 2 * root(gap, theta, mp.mpf(1)) - 1
    if len(set(names)) < 2:
        low, high = -1, 1
    elif abs(d) < 1:
        r = t_quantile(level, degrees(names)) * jackknife_se(figure, names)
        # Feng and Cliff's asymmetric form.
        half, scale = r * mp.sqrt((1 - d * d) ** 2 + r * r), 1 - d * d + r * r
        low, high = min(low, (d - d**3 - half) / scale), max(high, (d - d**3 + half) / scale)
    return {"x": x, "y": y, "groups": {"x": gx, "y": gy}, "level": level, "delta": float(d), "low": float(low), "high": float(high)}


ten = lambda m: [rng.randint(0, 10) / 10 for _ in range(m)]
bits = lambda m, p: [int(rng.random() < p) for _ in range(m)]
deltas = []
for x, y, gx, gy in (
    (ten(12), ten(12), [i // 3 for i in range(12)], [i // 3 for i in range(12)]),
    (ten(10), ten(14), [rng.choice("abcd") for _ in range(10)], [rng.choice("abcde") for _ in range(14)]),
    (bits(20, 0.8), bits(20, 0.4), [i // 4 for i in range(20)], [i // 4 for i in range(20)]),
    (bits(15, 0.5), bits(9, 0.5), [rng.choice("pqr") for _ in range(15)], [rng.choice("stu") for _ in range(9)]),
    ([1] * 12, [0] * 12, [i // 4 for i in range(12)], [i // 4 for i in range(12)]),
    ([0.7, 0.8, 0.9, 1.0], [0.1, 0.2, 0.3, 0.2], ["a", "a", "b", "b"], ["a", "a", "b", "b"]),
    (ten(4), ten(4), ["one"] * 4, ["one"] * 4),
):
    for level in (0.9, 0.95):
        deltas.append(delta_row(x, y, gx, gy, level))
write("cliffs-delta-grouped", f"mpmath {mp.__version__}, all pairs, derivative by group", __file__, deltas)


def kappa_row(a, b, names, weights, level):
    cost = {"none": lambda x, y: int(x != y), "linear": lambda x, y: abs(x - y), "quadratic": lambda x, y: (x - y) ** 2}[weights]

    def figure(w):
        ws = [w[name] for name in names]
        total = mp.fsum(ws)
        observed = mp.fsum(v * cost(x, y) for v, x, y in zip(ws, a, b)) / total
        expected = mp.fsum(v * u * cost(x, y) for v, x in zip(ws, a) for u, y in zip(ws, b)) / total**2
        return 1 - observed / expected

    value = figure({name: mp.mpf(1) for name in names})
    se = jackknife_se(figure, names)
    reach = t_quantile(level, degrees(names)) * se
    return {"a": a, "b": b, "groups": names, "weights": weights, "level": level, "kappa": float(value), "se": float(se),
            "low": float(max(-1, value - reach)), "high": float(min(1, value + reach))}


kappas = []
for count, sizes in ((4, [3, 3, 3, 3]), (6, [1, 2, 5, 4, 3, 2]), (12, [2] * 12)):
    names = [g for g in range(count) for _ in range(sizes[g])]
    a = [rng.randint(1, 4) for _ in names]
    b = [x if rng.random() < 0.6 else rng.randint(1, 4) for x in a]
    for weights in ("none", "linear", "quadratic"):
        kappas.append(kappa_row(a, b, names, weights, rng.choice([0.9, 0.95])))
write("cohen-kappa-grouped", f"mpmath {mp.__version__}, derivative by group", __file__, kappas)


def cost_row(cases, names, level):
    groups = list(dict.fromkeys(names))
    total = lambda group, key: sum(F(c[key]) for c, name in zip(cases, names) if name == group)
    sums = [{key: total(group, key) for key in ("n", "c", "cost")} for group in groups]
    g, cost, passes = len(groups), sum(s["cost"] for s in sums), sum(s["c"] for s in sums)
    number = lambda x: mp.mpf(x.numerator) / x.denominator
    row = {"cases": cases, "groups": names, "level": level}
    if passes == 0:
        bound = number(cost / sum(s["n"] for s in sums)) / (1 - (1 - mp.mpf(level)) ** (mp.mpf(1) / g))
        return {**row, "value": None, "low": float(bound)}
    ratio = cost / passes
    figure = lambda w: mp.log(mp.fsum(w[k] * number(s["cost"]) for k, s in zip(groups, sums)) / mp.fsum(w[k] * number(s["c"]) for k, s in zip(groups, sums)))
    se = jackknife_se(figure, groups)
    reach = t_quantile(level, g - 1) * se
    return {**row, "value": float(ratio), "se": float(number(ratio) * se), "effectiveN": float(cost**2 / sum(s["cost"] ** 2 for s in sums)),
            "low": float(number(ratio) * mp.exp(-reach)), "high": float(number(ratio) * mp.exp(reach))}


costs = []
for m, g, rate in ((12, 4, 0.6), (20, 7, 0.4), (9, 3, 0.0), (40, 12, 0.7)):
    names = [i % g for i in range(m - 3)] + [0, 0, 1]
    cases = [{"n": 5, "c": sum(rng.random() < rate for _ in range(5)), "cost": round(rng.lognormvariate(0, 1), 4)} for _ in range(m)]
    for level in (0.9, 0.95):
        costs.append(cost_row(cases, names, level))
write("cost-of-pass-grouped", f"Python fractions, mpmath {mp.__version__}, derivative by group", __file__, costs)

draws = np.random.default_rng(1)
CASES = [
    ([0, 0, 1, 1], [1, 1, 2, 2]),
    ([0.2, 0.4, 0.9], [1, 2, 3]),
    ([1, 0, 1, 1, 0, 0.5], [7, 7, 8, 8, 8, 9]),
    ([0.5, 0.5, 0.25, 1e-9, 1], [3, 1, 3, 1, 3]),
    ([1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.4, 1e6 + 0.8], [1, 1, 2, 3]),
]
for cases, groups in [(30, 6), (200, 40), (57, 2)]:
    labels = np.append(np.arange(groups), draws.integers(0, groups, cases - groups))
    CASES.append((list(draws.integers(0, 6, cases) / 5), [int(g) for g in labels]))


def effective(groups):
    """How many groups of equal size these are worth: (sum of sizes)^2 / sum of squared sizes."""
    return len(groups) ** 2 / sum(groups.count(name) ** 2 for name in set(groups))


vectors = []
for values, groups in CASES:
    y = np.array(values, dtype=float)
    fit = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    vectors.append({"values": [float(v) for v in y], "groups": groups, "mean": float(fit.params[0]), "se": float(fit.bse[0]),
                    "df": effective(groups) - 1})
write("clustered-se", f"statsmodels {statsmodels.__version__}", __file__, vectors)
