"""Paired differences: scipy's paired t test, and statsmodels' cluster-robust OLS on an intercept for grouped cases.

Writes golden/paired-difference.json.
"""
import random

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats

from golden import write

rng = random.Random(90125)


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
]
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
            difference, se, df, p = fit.params[0], fit.bse[0], len(set(groups)) - 1, float(fit.pvalues[0])
        low, high = stats.t.interval(level, df, difference, se)
        vectors.append({
            "a": a, "b": b, "groups": groups, "level": level, "difference": float(difference), "se": float(se), "df": df, "p": p,
            "low": float(low), "high": float(high),
        })
write("paired-difference", f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__} for groups", __file__, vectors)
