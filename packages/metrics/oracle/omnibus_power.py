"""Power of Friedman's test on simulated tiers: scipy's p-values of 300 suites each with no difference, and with one tier of
three 10 points better. Writes golden/omnibus-power.json. Each suite is a text with one character per case and tier, the
number of passes in base 36, so that the library's test runs on the same data.
"""
import numpy as np
import scipy
from scipy import stats

from golden import write

rng = np.random.default_rng(20261117)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TIERS = 3

vectors = []
for cases, trials in [(20, 5), (50, 10)]:
    for change in (0, 0.1):
        suites, p = [], []
        for _ in range(300):
            rate = 0.05 + 0.8 * rng.beta(0.5, 0.5, size=cases)
            rates = np.stack([rate] * (TIERS - 1) + [rate + change])
            passes = rng.binomial(trials, rates)
            suites.append("".join(DIGITS[c] for row in passes for c in row))
            p.append(float(stats.friedmanchisquare(*(passes / trials)).pvalue))
        vectors.append({"cases": cases, "trials": trials, "tiers": TIERS, "change": change, "friedman": round(np.mean(np.array(p) <= 0.05), 4), "suites": suites})
write("omnibus-power", f"scipy {scipy.__version__}", __file__, vectors)
