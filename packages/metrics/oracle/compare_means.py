"""Paired differences: scipy's paired t test, and statsmodels' cluster-robust OLS on an intercept for grouped cases.
The interval reaches further on the side of the skewness: as far as the exact bound of a Poisson mean exceeds its normal
approximation (golden.py).

The t quantile and tail are solved in 30 digits: scipy 1.10's t.ppf is off in the tenth digit at df = 19, p = .25.

Writes golden/paired-difference.json.
"""
import random

import mpmath
import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats

from golden import extension, interval_p, write

rng = random.Random(90125)
mpmath.mp.dps = 30


def t_tail(t, df):
    """P(T > t) for t > 0."""
    return mpmath.betainc(mpmath.mpf(df) / 2, mpmath.mpf(1) / 2, 0, df / (df + mpmath.mpf(t) ** 2), regularized=True) / 2


def t_quantile(level, df):
    outside = (1 - mpmath.mpf(level)) / 2
    return mpmath.findroot(lambda t: t_tail(t, df) - outside, stats.t.ppf((1 + float(level)) / 2, df))


def scores(m, steps=5):
    return [rng.randint(0, steps) / steps for _ in range(m)]


CASES = [
    ([0.2, 0.4, 0.6], [0.4, 0.8, 0.6], None),
    ([0.0, 1.0], [1.0, 0.9], None),
    (scores(20), scores(20), None),
    (scores(50, 20), scores(50, 20), None),
    ([0.1] * 9 + [0.2], [0.9] * 9 + [0.9], None),
    ([x / 1000 for x in range(300)], [x / 1000 + 0.3 + rng.random() / 50 for x in range(300)], None),
    ([1e-6 * rng.random() for _ in range(12)], [1e-6 * rng.random() for _ in range(12)], None),
    ([1e6 + rng.random() for _ in range(12)], [1e6 + rng.random() for _ in range(12)], None),
    (scores(20), scores(20), [i // 4 for i in range(20)]),
    (scores(30, 10), scores(30, 10), [rng.choice("abcdefg") for _ in range(30)]),
    (scores(6), scores(6), ["a", "a", "a", "a", "a", "b"]),
    (scores(15), scores(15), list(range(15))),
    # Few cases carry the change, and a few large losses are against many small gains.
    ([0.0] * 20, [0.0] * 17 + [0.2, 0.4, 0.1], None),
    ([0.5] * 30, [0.6] * 27 + [0.5, 0.1, 0.0], None),
    ([1.0] * 24, [1.0] * 22 + [0.0, 0.5], [i // 3 for i in range(24)]),
    ([0.3] * 40, [0.35] * 36 + [0.3, 0.3, 0.2, 0.0], [i // 4 for i in range(40)]),
]


def effective(groups):
    """How many groups of equal size these are worth: (sum of sizes)^2 / sum of squared sizes."""
    return len(groups) ** 2 / sum(groups.count(name) ** 2 for name in set(groups))


vectors = []
for a, b, groups in CASES:
    d = np.array(b) - np.array(a)
    for level in (0.95, 0.99, 0.5):
        if groups is None:
            t = stats.ttest_rel(b, a)
            difference, se, df, p = d.mean(), stats.sem(d), len(d) - 1, float(t.pvalue)
        else:
            codes = np.unique(np.array(groups), return_inverse=True)[1]
            fit = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": codes, "use_correction": True}, use_t=True)
            difference, se, df, p = fit.params[0], fit.bse[0], effective(groups) - 1, float(fit.pvalues[0])
        exact = float(2 * t_tail(abs(difference / se), df))
        # statsmodels has one degree of freedom less than groups, whatever their sizes.
        if groups is None or df == len(set(groups)) - 1:
            assert abs(p - exact) <= 1e-9 * exact, (p, exact)
        names = list(range(len(d))) if groups is None else groups
        residuals = [sum((x - d.mean() for x, name in zip(d, names) if name == one), 0.0) for one in dict.fromkeys(names)]
        bounded = all(0 <= x <= 1 for x in a + b)
        skew = lambda at: extension(residuals, at) / len(d) if bounded else 0
        reach = t_quantile(level, df) * se
        low, high = difference - reach + min(0, skew(level)), difference + reach + max(0, skew(level))
        searched = bool(difference * skew(level) < 0)
        if searched:
            exact = float(interval_p(abs(difference), lambda at: t_quantile(at, df) * se + abs(skew(at))))
        vectors.append({
            "a": a, "b": b, "groups": groups, "level": level, "difference": float(difference), "se": float(se), "df": df, "p": exact, "searched": searched,
            "low": float(low), "high": float(high),
        })
write("paired-difference", f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__} for groups, mpmath {mpmath.__version__} for t and the skewness", __file__, vectors)
