"""Variance components in exact rationals from raw trials; sample sizes in 40 digits.

Writes golden/variance-components.json, paired-variance.json, required-cases.json and zero-failure-trials.json.
"""
import random
from fractions import Fraction
from math import floor

import mpmath
from mpmath import mp, mpf

from golden import write

rng = random.Random(31337)
mp.dps = 40


def mean(xs):
    return Fraction(sum(xs)) / len(xs)


def sums(trials):
    return {"n": len(trials), "sum": float(sum(trials)), "sumSq": float(sum(x * x for x in trials))}


def number(x):
    return None if x is None else float(x)


def components(cases):
    """One-way random-effects ANOVA with deviations, not with sums of squares."""
    m, N = len(cases), sum(map(len, cases))
    grand = Fraction(sum(map(sum, cases))) / N
    ssw = sum((x - mean(c)) ** 2 for c in cases for x in c)
    within = ssw / (N - m) if N > m else None
    if m == 1:
        return {"within": within, "msb": None, "n0": None, "between": None, "icc": None, "deff": None}
    msb = sum(len(c) * (mean(c) - grand) ** 2 for c in cases) / (m - 1)
    kish = Fraction(sum(len(c) ** 2 for c in cases), N)
    n0 = (N - kish) / (m - 1)
    between = None if within is None else max(Fraction(0), (msb - within) / n0)
    icc = None if within is None or between + within == 0 else between / (between + within)
    deff = None if icc is None else 1 + (kish - 1) * icc
    return {"within": within, "msb": msb, "n0": n0, "between": between, "icc": icc, "deff": deff}


def bernoulli(n, p):
    return [Fraction(int(rng.random() < p)) for _ in range(n)]


def graded(n):
    # Sixteenths are doubles, so the sums below are what a caller would have.
    return [Fraction(rng.randint(0, 16), 16) for _ in range(n)]


SUITES = [
    [[Fraction(1)] * 2, [Fraction(1), Fraction(0)], [Fraction(0)] * 2],
    [bernoulli(5, rng.random()) for _ in range(20)], [bernoulli(10, 0.5) for _ in range(6)], [bernoulli(1, 0.5) for _ in range(8)],
    [bernoulli(rng.randint(1, 9), rng.random()) for _ in range(30)], [graded(rng.randint(2, 7)) for _ in range(15)],
    [graded(4)], [[Fraction(1)] * 5] * 4, [[Fraction(1)] * 5, [Fraction(0)] * 3], [[Fraction(1), Fraction(0)]] * 6, [[Fraction(1, 2)]],
    [[Fraction(1023) + x for x in graded(5)] for _ in range(10)],
]
write("variance-components", "Python fractions", __file__, [
    {"cases": [sums(c) for c in suite], **{k: number(v) for k, v in components(suite).items()}} for suite in SUITES
])


def variance(xs):
    centre = mean(xs)
    return sum((x - centre) ** 2 for x in xs) / (len(xs) - 1)


vectors = []
for a, b in (
    ([bernoulli(5, 0.5) for _ in range(12)], [bernoulli(5, 0.8) for _ in range(12)]),
    ([graded(rng.randint(2, 6)) for _ in range(9)], [graded(rng.randint(2, 6)) for _ in range(9)]),
    ([[Fraction(0)] * 3, [Fraction(0)] * 3, [Fraction(0)] * 3], [[Fraction(1)] * 4, [Fraction(0)] * 4, [Fraction(1)] * 4]),
    ([bernoulli(4, 0.5) for _ in range(5)], [bernoulli(4, 0.5) for _ in range(5)]),
):
    observed = variance([mean(y) - mean(x) for x, y in zip(a, b)])
    noise = mean([variance(x) / len(x) for x in a]) + mean([variance(y) / len(y) for y in b])
    vectors.append({
        "a": [sums(x) for x in a], "b": [sums(y) for y in b], "observed": float(observed), "noise": float(noise),
        "between": float(max(0, observed - noise)), "trialVarianceA": float(mean(list(map(variance, a)))),
        "trialVarianceB": float(mean(list(map(variance, b)))),
    })
write("paired-variance", "Python fractions", __file__, vectors)


def z(p):
    return mpmath.sqrt(2) * mpmath.erfinv(2 * mpf(p) - 1)


vectors = []
for difference, between, va, vb, ka, kb, level, power in (
    (0.05, 0.05, 0, 0, 1, 1, 0.95, 0.8), (0.1, 0.02, 0.21, 0.16, 5, 5, 0.95, 0.8), (-0.03, 0.1, 0.25, 0.25, 1, 10, 0.99, 0.9),
    (0.5, 0, 0.25, 0.25, 20, 20, 0.95, 0.8), (0.001, 0.2, 0.1, 0.1, 3, 4, 0.999, 0.99), (0.2, 0.01, 0.04, 0, 2, 1, 0.8, 0.5),
    (0.01, 1e-6, 0.09, 0.09, 100, 100, 0.95, 0.05),
):
    reach = z((1 + mpf(level)) / 2) + z(power)
    variance_ = mpf(between) + mpf(va) / ka + mpf(vb) / kb
    exact = variance_ * (reach / mpf(difference)) ** 2
    vectors.append({
        "difference": difference, "between": between, "trialVarianceA": va, "trialVarianceB": vb, "trialsA": ka, "trialsB": kb,
        "level": level, "power": power, "cases": max(1, int(mpmath.ceil(exact))),
        "mde20": float(reach * mpmath.sqrt(variance_ / 20)),
    })
write("required-cases", f"mpmath {mpmath.__version__}", __file__, vectors)

vectors = []
for p, confidence in (("0.9", "0.95"), ("0.5", "0.75"), ("0.1", "0.9"), ("0.95", "0.95"), ("0.99", "0.99"), ("0.999", "0.95"),
                      ("0.5", "0.5"), ("0.2", "0.1"), ("0.8", "0.36"), ("0.9", "0.19"), ("0.1", "0.999999"), ("0.01", "0.5")):
    rate, risk, n = Fraction(p), 1 - Fraction(confidence), 1
    while rate**n > risk:
        n += 1
    vectors.append({"p": float(p), "confidence": float(confidence), "trials": n})
write("zero-failure-trials", "Python fractions", __file__, vectors)
