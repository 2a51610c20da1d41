"""Looking more than once: group-sequential boundaries by dense Simpson integration, mixture likelihood ratios and
confidence sequences in mpmath, e-values in exact rationals.

Writes golden/sequential-boundaries.json, golden/mixture-likelihood.json, golden/confidence-sequence.json,
golden/discordant-e-value.json.
"""
from fractions import Fraction as F
from math import factorial, prod

import mpmath as mp
import numpy as np
import scipy
from scipy.optimize import brentq
from scipy.stats import norm

from golden import write

mp.mp.dps = 60


def simpson(n, a, b):
    x = np.linspace(a, b, n + 1)
    w = np.ones(n + 1)
    w[1:-1:2], w[2:-1:2] = 4, 2
    return x, w * (b - a) / n / 3


class Walk:
    """Brownian motion seen at growing times: the sub-density of the paths that stayed inside, on all of (-b, b)."""

    def __init__(self):
        self.t, self.x, self.m = 0.0, np.array([0.0]), np.array([1.0])

    def exit(self, t, z):
        sd, b = np.sqrt(t - self.t), z * np.sqrt(t)
        return float(self.m @ (norm.sf((b - self.x) / sd) + norm.cdf((-b - self.x) / sd)))

    def cut(self, t, z, n=1600):
        sd, b = np.sqrt(t - self.t), min(z, 11) * np.sqrt(t)
        x, w = simpson(n, -b, b)
        self.m = w * (norm.pdf((x[:, None] - self.x[None, :]) / sd) / sd @ self.m)
        self.t, self.x = t, x


def spent(times, zs):
    walk, total, out = Walk(), 0.0, []
    for t, z in zip(times, zs):
        total += walk.exit(t, z)
        out.append(total)
        walk.cut(t, z)
    return out


def obrien_fleming(looks, alpha):
    times = [(k + 1) / looks for k in range(looks)]
    c = brentq(lambda c: spent(times, [c / np.sqrt(t) for t in times])[-1] - alpha, norm.isf(alpha / 2) - 1e-9,
               norm.isf(alpha / 2) + 1, xtol=1e-13, rtol=1e-14)
    zs = [c / np.sqrt(t) for t in times]
    return {"z": zs, "spent": spent(times, zs)}


def spending(times, alpha):
    walk, before, zs = Walk(), 0.0, []
    for t in times:
        now = 4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(t))
        zs.append(brentq(lambda z: walk.exit(t, z) / (now - before) - 1, 0, 12, xtol=1e-13, rtol=1e-14))
        walk.cut(t, zs[-1])
        before = now
    return {"z": zs, "spent": spent(times, zs)}


# Jennison and Turnbull 2000, table 2.3: C_B(K, alpha) to three decimals.
TABLE = {(1, 0.05): 1.960, (2, 0.05): 1.977, (3, 0.05): 2.004, (4, 0.05): 2.024, (5, 0.05): 2.040, (10, 0.05): 2.087,
         (2, 0.1): 1.678, (5, 0.1): 1.751, (2, 0.01): 2.580, (5, 0.01): 2.621}
boundaries = []
for looks, alpha in [*TABLE, (20, 0.05), (3, 0.2), (4, 0.001), (30, 0.05), (2, 0.9)]:
    r = obrien_fleming(looks, alpha)
    if (looks, alpha) in TABLE:
        assert round(r["z"][-1], 3) == TABLE[looks, alpha], (looks, alpha, r["z"][-1])
    boundaries.append({"looks": looks, "alpha": alpha, **r})
for times, alpha in [([0.2, 0.4, 0.6, 0.8, 1], 0.05), ([0.5, 1], 0.05), ([1], 0.05), ([0.1, 0.7, 0.75, 0.99], 0.01), ([0.3, 0.31, 1], 0.2), ([0.5], 0.05)]:
    boundaries.append({"information": times, "alpha": alpha, **spending(times, alpha)})
# The values that programs for Lan and DeMets' boundaries print for five looks.
assert [round(z, 3) for z in boundaries[-6]["z"]] == [4.877, 3.357, 2.680, 2.290, 2.031]
write("sequential-boundaries", f"numpy {np.__version__}, scipy {scipy.__version__}, Simpson's rule", __file__, boundaries)


def log_mixture(n, c, p0, a, b):
    a, b, p0 = mp.mpf(a), mp.mpf(b), mp.mpf(p0)
    log_beta = lambda x, y: mp.loggamma(x) + mp.loggamma(y) - mp.loggamma(x + y)
    return log_beta(a + c, b + n - c) - log_beta(a, b) - c * mp.log(p0) - (n - c) * mp.log(1 - p0)


mixtures = [
    {"n": n, "c": c, "p0": p0, "a": a, "b": b, "log": float(log_mixture(n, c, p0, a, b))}
    for a, b in [(0.5, 0.5), (1, 1), (3, 0.25), (40, 60)]
    for n, c in [(0, 0), (1, 0), (1, 1), (5, 3), (20, 20), (20, 0), (100, 37), (10**4, 4999), (10**6, 3), (10**9, 4 * 10**8), (10**12, 1)]
    for p0 in [0.5, 0.4, 1e-9, 0.999]
]
write("mixture-likelihood", f"mpmath {mp.__version__}", __file__, mixtures)


def sequence(n, c, level, a, b):
    limit = -mp.log(1 - mp.mpf(level))
    inside = lambda p: log_mixture(n, c, p, a, b) < limit

    def edge(outside, within):
        """Bisection in 60 digits between a rejected and an accepted rate."""
        for _ in range(190):
            middle = (outside + within) / 2
            outside, within = (outside, middle) if inside(middle) else (middle, within)
        return within

    best = mp.mpf(c) / n
    tiny = mp.mpf(10) ** -50
    low = mp.mpf(0) if c == 0 else edge(tiny, min(best, 1 - tiny))
    high = mp.mpf(1) if c == n else edge(1 - tiny, max(best, tiny))
    return {"low": float(low), "high": float(high), "failHigh": float(1 - high)}


sequences = [
    {"n": n, "c": c, "level": level, "a": a, "b": b, **sequence(n, c, level, a, b)}
    for a, b, level in [(0.5, 0.5, 0.95), (1, 1, 0.95), (0.5, 0.5, 0.5), (2, 5, 0.999)]
    for n, c in [(1, 0), (1, 1), (2, 1), (5, 4), (5, 5), (30, 0), (100, 1), (100, 50), (1000, 999), (10**4, 1234), (10**8, 5 * 10**7), (10**10, 1)]
]
write("confidence-sequence", f"mpmath {mp.__version__}", __file__, sequences)

odd = lambda k: prod(range(1, 2 * k, 2))
evalues = []
for w, l in [(0, 0), (1, 0), (0, 1), (2, 0), (8, 0), (0, 8), (5, 5), (9, 2), (30, 12), (100, 100), (150, 90), (500, 480), (1000, 0), (3000, 100)]:
    e = F(odd(w) * odd(l), factorial(w + l))
    log = mp.log(mp.mpf(e.numerator)) - mp.log(mp.mpf(e.denominator))
    evalues.append({"wins": w, "losses": l, "e": float(e) if e < F(10) ** 300 else None, "log": float(log)})
write("discordant-e-value", "Python fractions", __file__, evalues)
