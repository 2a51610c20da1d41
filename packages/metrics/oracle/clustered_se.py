"""Mean and cluster-robust standard error of a regression on a constant, by statsmodels. Writes golden/clustered-se.json."""
import numpy as np
import statsmodels
import statsmodels.api as sm

from golden import write

rng = np.random.default_rng(1)
CASES = [
    ([0, 0, 1, 1], [1, 1, 2, 2]),
    ([0.2, 0.4, 0.9], [1, 2, 3]),
    ([1, 0, 1, 1, 0, 0.5], [7, 7, 8, 8, 8, 9]),
    ([0.5, 0.5, 0.25, 1e-9, 1], [3, 1, 3, 1, 3]),
    ([1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.4, 1e6 + 0.8], [1, 1, 2, 3]),
]
for cases, groups in [(30, 6), (200, 40), (57, 2)]:
    labels = np.append(np.arange(groups), rng.integers(0, groups, cases - groups))
    CASES.append((list(rng.integers(0, 6, cases) / 5), [int(g) for g in labels]))


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
