"""Textbook intervals of proportions: mpmath with 40 digits from their definitions, checked against statsmodels.
Writes golden/proportion-intervals.json and golden/newcombe.json.
"""
import statsmodels
from mpmath import betainc, erfinv, mp, mpf, sqrt
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from golden import write

mp.dps = 40
ORACLE = f"mpmath {__import__('mpmath').__version__}, 40 digits, checked against statsmodels {statsmodels.__version__}"


def z_of(level):
    return sqrt(2) * erfinv(mpf(level))


def beta_quantile(p, a, b):
    low, high = mpf(0), mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        if betainc(a, b, 0, middle, regularized=True) < p:
            low = middle
        else:
            high = middle
    return low


def wilson(rate, n, z):
    """Roots of (p - rate)^2 = z^2 p (1 - p) / n."""
    a, b, c = 1 + z * z / n, -(2 * rate + z * z / n), rate * rate
    root = sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def exact(passes, n, level):
    tail = (1 - mpf(level)) / 2
    low = mpf(0) if passes == 0 else beta_quantile(tail, passes, n - passes + 1)
    high = mpf(1) if passes == n else 1 - beta_quantile(tail, n - passes, passes + 1)
    return low, high


def jeffreys(c, n, level):
    tail = (1 - mpf(level)) / 2
    half = mpf(1) / 2
    low = mpf(0) if c == 0 else beta_quantile(tail, c + half, n - c + half)
    high = mpf(1) if c == n else 1 - beta_quantile(tail, n - c + half, c + half)
    return low, high


def pair(bounds):
    return [float(b) for b in bounds]


vectors = []
for c, n in [(0, 1), (1, 1), (0, 5), (4, 5), (5, 5), (8, 10), (0, 10), (3, 7), (57, 100), (99, 100), (1, 200), (500, 1000)]:
    for level in (0.5, 0.9, 0.95, 0.999):
        z = z_of(level)
        row = {
            "c": c, "n": n, "level": level,
            "wilson": pair(wilson(mpf(c) / n, mpf(n), z)),
            "clopperPearson": pair(exact(mpf(c), mpf(n), level)),
            "jeffreys": pair(jeffreys(mpf(c), mpf(n), level)),
        }
        for name, method in (("wilson", "wilson"), ("clopperPearson", "beta")):
            for ours, theirs in zip(row[name], proportion_confint(c, n, 1 - level, method=method)):
                assert abs(ours - theirs) < 1e-9, (row, name, theirs)
        vectors.append(row)
for rate, n in [(0.9, 25.5), (0.5, 1.25), (0.999, 3.7), (0, 12.5), (1, 0.8), (0.02, 140.25)]:
    rate_, n_ = mpf(rate), mpf(n)
    vectors.append({"rate": rate, "n": n, "level": 0.95, "kornGraubard": pair(exact(rate_ * n_, n_, 0.95)),
                    "quantile": 2.25, "wilson": pair(wilson(rate_, n_, mpf(2.25)))})
write("proportion-intervals", ORACLE, __file__, vectors)

vectors = []
for ca, na, cb, nb in [(48, 80, 56, 70), (0, 10, 0, 20), (10, 10, 20, 20), (10, 10, 0, 20), (3, 7, 3, 7), (1, 1, 0, 1), (150, 1000, 180, 900)]:
    for level in (0.9, 0.95, 0.99):
        z = z_of(level)
        a, b = mpf(ca) / na, mpf(cb) / nb
        (al, ah), (bl, bh) = wilson(a, mpf(na), z), wilson(b, mpf(nb), z)
        low, high = b - a - sqrt((b - bl) ** 2 + (ah - a) ** 2), b - a + sqrt((bh - b) ** 2 + (a - al) ** 2)
        theirs = confint_proportions_2indep(cb, nb, ca, na, method="newcomb", compare="diff", alpha=1 - level)
        assert abs(low - theirs[0]) < 1e-9 and abs(high - theirs[1]) < 1e-9, (ca, na, cb, nb, low, high, theirs)
        vectors.append({"cA": ca, "nA": na, "cB": cb, "nB": nb, "level": level, "low": float(low), "high": float(high)})
write("newcombe", ORACLE, __file__, vectors)
