"""The formulas of the three source documents in exact rationals. Writes golden/spec-formulas.json.

Decimal weights and prices are taken as the decimals people write (0.4 is 2/5); rates and values are
taken as the doubles they are.
"""
import math
import random
from collections import Counter
from fractions import Fraction as F

from golden import write

rng = random.Random(20261115)
vectors = []


def add(fn, args, expected):
    vectors.append({"fn": fn, "args": args, "expected": expected})


def dec(x):
    return F(str(x))


def root(q):
    """sqrt of a rational, correct to double precision."""
    scale = 10**80
    return float(F(math.isqrt(q.numerator * scale // q.denominator), 10**40))


# pass@k naive and p^k
for p in [0.0, 1e-12, 3e-15, 0.1, 0.3, 0.5, 0.75, 0.8, 0.9, 0.999, 1.0]:
    for k in [0, 1, 2, 3, 5, 8, 10, 50, 1000]:
        add("passAtKNaive", [p, k], float(1 - (1 - F(p)) ** k))
        add("passToTheK", [p, k], float(F(p) ** k))

# code score
grid = [(True, 10, 0, 0), (True, 7, 3, 2), (True, 0, 0, 0), (True, 0, 5, 12), (True, 1, 2, 3), (False, 0, 0, 0),
        (False, 9, 0, 0), (True, 1, 0, 10), (True, 1, 0, 9), (True, 1, 0, 11)]
grid += [(rng.random() < 0.9, rng.randrange(0, 40), rng.randrange(0, 40), rng.randrange(0, 15)) for _ in range(60)]
for compiled, passed, failed, warnings in grid:
    t = F(passed, passed + failed) if passed + failed else F(0)
    lint = max(F(0), 1 - dec(0.1) * warnings)
    score = dec(0.4) + dec(0.5) * t + dec(0.1) * lint if compiled else F(0)
    add("codeScore", [{"compiled": compiled, "passed": passed, "failed": failed, "warnings": warnings}], float(score))

# cost
prices = [(15, 75), (3, 15), (5, 15), (0.15, 0.6), (0.075, 0.3), (1.25, 10)]
tokens = [(1234567, 89012), (1000, 500), (1, 1), (10**9, 10**9), (0, 0)] + [
    (rng.randrange(10**6), rng.randrange(10**5)) for _ in range(20)]
for pin, pout in prices:
    for tin, tout in tokens:
        usage = {"inputTokens": tin, "inputPricePer1M": pin, "outputTokens": tout, "outputPricePer1M": pout}
        total = tin * dec(pin) + tout * dec(pout)
        add("costUsd", [usage], float(total / 10**6))
        read, write_ = rng.randrange(10**6), rng.randrange(10**5)
        usage = dict(usage, cacheReadTokens=read, cacheReadPricePer1M=0.3, cacheWriteTokens=write_, cacheWritePricePer1M=3.75)
        add("costUsd", [usage], float((total + read * dec(0.3) + write_ * dec(3.75)) / 10**6))

for cost, rate in [(0.5, 1), (1, 0.8), (3.2, 0.1), (0, 0.5), (0.01, 1e-300)]:
    add("costOfPass", [cost, rate], float(F(cost) / F(rate)))

# composite
for args in [[1, 0.85], [0, 0.9], [1, 0.9], [1, 0.4, {"pass": 0.7, "impl": 0.3}], [1, 0.6, {"pass": 2, "impl": 1}],
             [0.5, 0.5, {"pass": 0, "impl": 3}]]:
    w = args[2] if len(args) > 2 else {"pass": 0.5, "impl": 0.5}
    wp, wi = F(w["pass"]), F(w["impl"])
    add("compositeScore", args, float((F(args[0]) * wp + F(args[1]) * wi) / (wp + wi)))

# statistics block
lists = [[1.0] * 8 + [0.0] * 2, [0.1] * 10, [2, 1, 2, 1, 3], [3, 1, 2], [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16], [5],
         [10, 9, 100, 1], [-1, 1], [1e200, 3e200], [1e-200, 3e-200, 2e-200], [0.7, 0.7, 0.7], [1e308, 1e308, 1.5e308]]
lists += [[rng.choice([0, 0.25, 0.5, 1.0]) for _ in range(rng.randrange(1, 30))] for _ in range(15)]
lists += [[rng.uniform(0, 1) for _ in range(rng.randrange(1, 200))] for _ in range(10)]
for values in lists:
    exact = sorted(F(v) for v in values)
    n = len(exact)
    m = sum(exact) / n
    var = sum((v - m) ** 2 for v in exact) / n
    median = exact[n // 2] if n % 2 else (exact[n // 2 - 1] + exact[n // 2]) / 2
    # The mode of the values rounded to six decimals, as the document's source has it.
    counts = Counter(F(round(float(v), 6)) for v in exact)
    most = max(counts.values())
    expected = {
        "median": float(median), "mean": float(m), "mode": float(min(v for v in counts if counts[v] == most)),
        "min": float(exact[0]), "max": float(exact[-1]),
        "stdDev": root(var * F(10) ** (-400 if m > 1e150 else 400 if abs(m) < F(1, 10**150) else 0))
        * (1e200 if m > 1e150 else 1e-200 if abs(m) < F(1, 10**150) else 1),
        "count": n,
    }
    add("describe", [values], expected)
    if 1e-150 < max(values) < 1e150:
        add("populationVariance", [values], float(var))
        if n > 1:
            add("sampleDeviation", [values], root(var * n / (n - 1)))

# tiers
for values in [[0.7, 0.8, 0.85, 0.9], [1, 1, 0, 1], [1], [0.5, 0.5]]:
    m = sum(map(F, values)) / len(values)
    add("passRateVariance", [values], float(sum((F(v) - m) ** 2 for v in values) / len(values)))
for values in [[1, 2, 3, 4, 5, 6, 7], [2, 2, 2], [1.5, 0.2, 3.75]]:
    m = sum(map(F, values)) / len(values)
    add("costVariance", [values], float(sum((F(v) - m) ** 2 for v in values) / len(values)))
for values in [[1.5, 0.2, 3.75], [0.1, 0.3], [4]]:
    add("costDelta", [values], float(F(max(values)) - F(min(values))))
for t, t0 in [(0.9, 0.75), (0.8, 0.7), (0.85, 0.7), (0.9, 0.7), (0.5, 1), (0, 0.5), (1, 1e-9)]:
    add("tierUplift", [t, t0], float((F(t) - F(t0)) / F(t0)))

write("spec-formulas", "Python fractions", __file__, vectors)
