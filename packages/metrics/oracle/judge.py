"""Agreement of judges: Krippendorff's alpha from the coincidence matrix in exact rationals, Cohen's kappa by
statsmodels, Rogan-Gladen in mpmath. Writes golden/krippendorff-alpha.json, golden/krippendorff-resampled.json,
golden/cohen-kappa.json, golden/rogan-gladen.json.
"""
from fractions import Fraction as F
from itertools import product

import mpmath as mp
import numpy as np
import statsmodels
from statsmodels.stats.inter_rater import cohens_kappa

from golden import write

mp.mp.dps = 40
rng = np.random.default_rng(5)
N = None


def alpha(ratings, scale):
    """Straight from the definition: coincidences o_ck, marginals n_c, metric differences delta_ck^2."""
    values = sorted({v for row in ratings for v in row if v is not None})
    o = {(c, k): F(0) for c in values for k in values}
    for unit in zip(*ratings):
        present = [v for v in unit if v is not None]
        m = len(present)
        if m < 2:
            continue
        for i, j in product(range(m), repeat=2):
            if i != j:
                o[present[i], present[j]] += F(1, m - 1)
    n_c = {c: sum(o[c, k] for k in values) for c in values}
    n = sum(n_c.values())

    def delta2(c, k):
        if c == k:
            return F(0)
        if scale == "nominal":
            return F(1)
        if scale == "ordinal":
            low, high = min(c, k), max(c, k)
            return (sum(n_c[g] for g in values if low <= g <= high) - (n_c[c] + n_c[k]) / 2) ** 2
        if scale == "interval":
            return (F(c) - F(k)) ** 2
        return ((F(c) - F(k)) / (F(c) + F(k))) ** 2

    observed = sum(o[c, k] * delta2(c, k) for c in values for k in values)
    expected = sum(n_c[c] * n_c[k] * delta2(c, k) for c in values for k in values)
    if expected == 0:
        return None
    return float(1 - (n - 1) * observed / expected)


# The reliability data of Krippendorff 2011, section C: four observers, twelve units.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
for scale, printed in [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]:
    assert round(alpha(PUBLISHED, scale), 3) == printed

TABLES = [
    PUBLISHED,
    [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]],
    [[1, 1, 1], [1, 1, 1]], [[1, N, 2], [N, 3, N]], [[1, N, N], [1, N, 2]], [[1, 2], [2, 1]],
    [[0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1], [0.1, N, 0.1, 0.1]],
    [[0, 0, 0, 5], [0, 0, 0, 5], [0, 1, N, 5]],
    [[1000000.1, 1000000.2, 1000000.3], [1000000.1, 1000000.3, 1000000.3]],
    [[0.25, 0.5, 1, 0.75, N, 0.125], [0.25, 0.75, 1, 0.5, 0.5, 0.25], [0.5, N, 1, 0.75, 0.25, 0.125]],
]
for judges, items, levels, missing in [(3, 15, 4, 0.2), (2, 60, 2, 0.05), (6, 25, 10, 0.5), (4, 200, 5, 0.3)]:
    truth = rng.integers(0, levels, items)
    TABLES.append([[None if rng.random() < missing else int(t if rng.random() < 0.7 else rng.integers(0, levels)) for t in truth]
                   for _ in range(judges)])
TABLES.append([[None if rng.random() < 0.2 else round(float(x), 3) for x in rng.random(12)] for _ in range(3)])
write("krippendorff-alpha", "Python fractions", __file__, [
    {"ratings": table, **{scale: alpha(table, scale) for scale in ("nominal", "ordinal", "interval", "ratio")}} for table in TABLES
])

resampled = []
for table, scale in [([[1, 2, 2, 1], [1, 2, 1, N]], "nominal"), ([[1, 2, 4, 3, 4], [1, 3, 4, 3, 1], [2, 2, N, N, 1]], "ordinal"),
                     ([[1, 2, 4, 3, 4], [1, 3, 4, 3, 1], [2, 2, N, N, 1]], "interval")]:
    m = len(table[0])
    alphas = [alpha([[row[i] for i in pick] for row in table], scale) for pick in product(range(m), repeat=m)]
    defined = [a for a in alphas if a is not None]
    missing, size = m**m - len(defined), m**m

    def bracket(tail, values):
        """The exact quantiles 1.5 % to both sides of a tail, between which a simulated one must lie."""
        values = sorted(values)
        return [values[int((tail + d) * size)] for d in (-0.015, 0.015)]

    ends = [{"level": 1 - 2 * tail, "low": bracket(tail, [-9] * missing + defined), "high": bracket(1 - tail, defined + [9] * missing)}
            for tail in (0.02, 0.05, 0.15, 0.25, 0.4) if missing < (tail - 0.015) * size]
    resampled.append({"ratings": table, "scale": scale, "undefinedShare": missing / size, "ends": ends})
write("krippendorff-resampled", "Python fractions, all resamples of items enumerated", __file__, resampled)

kappas = []
PAIRS = [([1, 1, 0, 0], [1, 1, 0, 1]), ([0, 1, 0, 1, 1], [1, 0, 1, 0, 0]), ([1, 2, 5, 5, 2, 1, 1], [1, 5, 5, 2, 2, 1, 2])]
for n, levels, noise in [(30, 2, 0.2), (100, 3, 0.4), (500, 5, 0.5), (40, 7, 0.9)]:
    truth = rng.integers(0, levels, n)
    PAIRS.append(tuple([int(t if rng.random() > noise else rng.integers(0, levels)) for t in truth] for _ in range(2)))
for a, b in PAIRS:
    values = sorted(set(a) | set(b))
    table = np.zeros((len(values), len(values)))
    for x, y in zip(a, b):
        table[values.index(x), values.index(y)] += 1
    for weights in ("none", "linear", "quadratic"):
        # Scores are the values themselves, so that 1, 2, 5 is not a scale of equal steps.
        r = cohens_kappa(table) if weights == "none" else cohens_kappa(table, weights=np.array(values, float), wt=weights)
        kappas.append({"a": a, "b": b, "weights": weights, "kappa": float(r.kappa), "se": float(r.std_kappa)})
write("cohen-kappa", f"statsmodels {statsmodels.__version__}", __file__, kappas)


def rogan_gladen(p, se, sp, level):
    (c, n), (a, na), (b, nb) = p, se, sp
    z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))

    def parts(P, Se, Sp, nP, nSe, nSp):
        J = Se + Sp - 1
        pi = (P + Sp - 1) / J
        var = (P * (1 - P) / nP + pi**2 * Se * (1 - Se) / nSe + (1 - pi) ** 2 * Sp * (1 - Sp) / nSp) / J**2
        return pi, var, J

    P, Se, Sp = mp.mpf(c) / n, mp.mpf(a) / na, mp.mpf(b) / nb
    if F(a, na) + F(b, nb) <= 1:
        return {"raw": None, "se": None, "low": None, "high": None}
    raw, var, _ = parts(P, Se, Sp, n, na, nb)
    P2, Se2, Sp2 = (c + z**2 / 2) / (n + z**2), mp.mpf(a + 1) / (na + 2), mp.mpf(b + 1) / (nb + 2)
    out = {"raw": float(raw), "se": float(mp.sqrt(var)), "low": None, "high": None}
    if Se2 + Sp2 <= 1:
        return out
    pi, var2, _ = parts(P2, Se2, Sp2, n + z**2, na + 2, nb + 2)
    shift = 2 * z**2 * (pi * Se2 * (1 - Se2) / (na + 2) - (1 - pi) * Sp2 * (1 - Sp2) / (nb + 2))
    low, high = (min(max(pi + shift + s * z * mp.sqrt(var2), 0), 1) for s in (-1, 1))
    if low < high:
        out["low"], out["high"] = float(low), float(high)
    return out


CASES = [
    ((60, 100), (45, 50), (40, 50)), ((0, 100), (45, 50), (40, 50)), ((100, 100), (45, 50), (40, 50)),
    ((50, 100), (50, 50), (50, 50)), ((0, 20), (10, 10), (10, 10)), ((5, 10), (7, 10), (3, 10)),
    ((5, 10), (6, 10), (3, 10)), ((30, 100), (300, 1000), (4, 5)), ((0, 10000), (900, 1000), (500, 1000)),
    ((10000, 10000), (900, 1000), (500, 1000)),
    ((1, 1), (1, 1), (1, 1)), ((7, 9), (3, 3), (2, 3)), ((731, 1000), (188, 200), (171, 200)),
    ((5, 100), (299, 1000), (20, 28)),
]
write("rogan-gladen", f"mpmath {mp.__version__}", __file__, [
    {"observed": {"n": p[1], "c": p[0]}, "sensitivity": {"n": se[1], "c": se[0]}, "specificity": {"n": sp[1], "c": sp[0]},
     "level": level, **rogan_gladen(p, se, sp, level)}
    for p, se, sp in CASES for level in (0.8, 0.95, 0.999)
])
