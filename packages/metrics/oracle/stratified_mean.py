"""
The mean-score form of the generalised Cochran-Mantel-Haenszel test, in exact rationals: permutation means and
covariances of each stratum by their definition, the quadratic form by Gauss elimination over fractions, the chi-square
tail by scipy. For small strata also the exact permutation p-value, by listing every arrangement of the scores.
Writes golden/stratified-mean.json.
"""
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import scipy
from scipy.stats import chi2

from golden import write


def solve(matrix, x):
    """x' M^-1 x and the rank, over fractions; rows that depend on others are left out."""
    m = [row[:] for row in matrix]
    y = x[:]
    total, rank = Fraction(0), 0
    for k in range(len(m)):
        if m[k][k] == 0:
            continue
        rank += 1
        total += y[k] * y[k] / m[k][k]
        for i in range(k + 1, len(m)):
            f = m[i][k] / m[k][k]
            y[i] -= f * y[k]
            for j in range(len(m)):
                m[i][j] -= f * m[k][j]
    return total, rank


def excess_of(stratum):
    pooled = [s for scores in stratum for s in scores]
    mean = sum(pooled) / len(pooled)
    return [sum(scores) - len(scores) * mean for scores in stratum[:-1]]


def covariance_of(stratum):
    pooled = [s for scores in stratum for s in scores]
    size = len(pooled)
    mean = sum(pooled) / size
    variance = sum((s - mean) ** 2 for s in pooled) / (size - 1)
    n = [len(scores) for scores in stratum[:-1]]
    return [[variance * ((n[i] * size if i == j else 0) - n[i] * n[j]) / size for j in range(len(n))] for i in range(len(n))]


def used(strata):
    out = []
    for stratum in strata:
        pooled = [s for scores in stratum for s in scores]
        if sum(1 for scores in stratum if scores) >= 2 and len(set(pooled)) > 1:
            out.append(stratum)
    return out


def statistic(strata):
    rows = len(strata[0]) - 1
    x = [Fraction(0)] * rows
    v = [[Fraction(0)] * rows for _ in range(rows)]
    for stratum in strata:
        for i, e in enumerate(excess_of(stratum)):
            x[i] += e
        for i, row in enumerate(covariance_of(stratum)):
            for j, c in enumerate(row):
                v[i][j] += c
    return solve(v, x)


def exact_p(strata):
    observed, _ = statistic(strata)
    arrangements = []
    for stratum in strata:
        pooled = [s for scores in stratum for s in scores]
        sizes = [len(scores) for scores in stratum]
        ways = []
        for order in permutations(pooled):
            at, split = 0, []
            for size in sizes:
                split.append(list(order[at:at + size]))
                at += size
            ways.append(split)
        arrangements.append(ways)
    count = total = 0
    for combination in product(*arrangements):
        total += 1
        count += statistic(list(combination))[0] >= observed
    return count / total


rng = np.random.default_rng(7)


def draw(cases, sizes, levels, shift):
    strata = []
    for _ in range(cases):
        base = rng.integers(0, levels + 1)
        strata.append([[Fraction(int(min(levels, max(0, base + shift * g + rng.integers(-2, 3)))), levels) for _ in range(n)]
                       for g, n in enumerate(sizes)])
    return strata


SUITES = [
    ([[[1, Fraction(1, 2), Fraction(4, 5)], [Fraction(1, 5), Fraction(2, 5)]], [[Fraction(9, 10), 1], [Fraction(3, 5)]]], True),
    (draw(2, [2, 2], 4, 1), True),
    (draw(1, [3, 2, 2], 5, 1), True),
    (draw(2, [2, 1, 1], 3, 1), True),
    (draw(12, [5, 5, 5], 10, 1), False),
    (draw(30, [2, 10, 5, 3], 10, 0), False),
    (draw(60, [5, 5], 20, 1), False),
    # Cases that only some subjects have, a case with one subject, a case without any spread.
    (draw(6, [3, 3, 0], 8, 1) + draw(6, [0, 3, 3], 8, 1) + draw(2, [3, 0, 0], 8, 0) + [[[Fraction(1)] * 3] * 3], False),
]

vectors = []
for strata, small in SUITES:
    strata = [[[Fraction(s) for s in scores] for scores in stratum] for stratum in strata]
    informative = used(strata)
    value, rank = statistic(informative)
    vectors.append({
        "strata": [[[float(s) for s in scores] for scores in stratum] for stratum in strata],
        "statistic": float(value), "df": rank, "chiSquareP": float(chi2.sf(float(value), rank)),
        "exactP": exact_p(informative) if small else None, "informative": len(informative),
    })
write("stratified-mean", f"exact rationals and scipy {scipy.__version__}", __file__, vectors)
