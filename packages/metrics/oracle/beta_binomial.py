"""Beta-binomial quantities with mpmath, and the posterior of a suite on a dense numpy grid. Writes golden/beta-binomial.json
and golden/beta-binomial-posterior.json.
"""
import numpy as np
from mpmath import beta, binomial, log, mp, mpf
from scipy import __version__ as scipy_version
from scipy.special import betaln
from scipy.stats import betabinom

from golden import write

mp.dps = 60
vectors = []
for a, b in [(1, 1), (0.5, 0.5), (0.001, 0.002), (2, 0.5), (1e-6, 3), (40, 12.5), (1e8, 2e8), (300, 1e-3)]:
    for n, c in [(1, 0), (1, 1), (5, 3), (5, 5), (100, 0), (1000, 990)]:
        A, B = mpf(a), mpf(b)
        pmf = log(binomial(n, c)) + log(beta(A + c, B + n - c)) - log(beta(A, B))
        vectors.append({"a": a, "b": b, "n": n, "c": c, "logPmf": float(pmf)})
    for k in (1, 2, 5, 100, 10**6):
        miss, all_ = beta(A, B + k) / beta(A, B), beta(A + k, B) / beta(A, B)
        vectors.append({"a": a, "b": b, "k": k, "passAtK": float(1 - miss), "passHatK": float(all_)})
write("beta-binomial", f"mpmath {__import__('mpmath').__version__}, 60 digits", __file__, vectors)


def quantile(values, weights, p):
    order = np.argsort(values)
    cumulative = np.cumsum(weights[order])
    return float(np.interp(p, cumulative - weights[order] / 2, values[order]))


SIDE = 1500


def posterior(cases, ks, mu_range=(0, 1), rho_range=(0, 1)):
    mu = mu_range[0] + (np.arange(SIDE) + 0.5) / SIDE * (mu_range[1] - mu_range[0])
    rho = rho_range[0] + (np.arange(SIDE) + 0.5) / SIDE * (rho_range[1] - rho_range[0])
    mu, rho = [g.ravel() for g in np.meshgrid(mu, rho)]
    a, b = mu * (1 / rho - 1), (1 - mu) * (1 / rho - 1)
    log_likelihood = np.zeros_like(a)
    for (n, c), count in sorted({p: cases.count(p) for p in cases}.items()):
        log_likelihood += count * (betaln(a + c, b + n - c) - betaln(a, b))
    weights = np.exp(log_likelihood - log_likelihood.max())
    weights /= weights.sum()

    def summary(values):
        return {"value": float((values * weights).sum()), "low": quantile(values, weights, 0.025), "high": quantile(values, weights, 0.975)}

    out = {"passRate": summary(mu), "correlation": summary(rho),
           "passAtK": [summary(1 - np.exp(betaln(a, b + k) - betaln(a, b))) for k in ks],
           "passHatK": [summary(np.exp(betaln(a + k, b) - betaln(a, b))) for k in ks],
           "shrunk": [{"n": n, "c": c, "passRate": float((weights * (a + c) / (a + b + n)).sum())} for n, c in sorted(set(cases))]}
    keep = weights > 1e-9
    n = cases[0][0]
    if len(set(n for n, _ in cases)) == 1 and n <= 20:
        out["expected"] = [float((weights[keep] * len(cases) * betabinom.pmf(c, n, a[keep], b[keep])).sum()) for c in range(n + 1)]
    return out


vectors = []
for name, cases, boxes in [
    ("spread", [(5, c) for c in (0, 1, 1, 2, 3, 4, 4, 5, 5, 5)], ((0, 1), (0, 1))),
    ("two kinds", [(10, 2)] * 10 + [(10, 9)] * 10, ((0, 1), (0, 1))),
    ("all pass", [(5, 5)] * 20, ((0, 1), (0, 1))),
    ("unequal", [(3, 1), (8, 8), (20, 11), (5, 0)], ((0, 1), (0, 1))),
    ("many", [(4, c) for c in range(5) for _ in range(200)], ((0.35, 0.65), (0.2, 0.5))),
]:
    ks = [1, 5, 50]
    vectors.append({"suite": name, "cases": cases, "ks": ks, **posterior(cases, ks, *boxes)})
write("beta-binomial-posterior", f"numpy {np.__version__} grid of {SIDE} x {SIDE}, scipy {scipy_version}", __file__, vectors)
