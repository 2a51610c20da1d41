"""Suite estimates and their default intervals from the definitions in docs/design/default-intervals.md: exact rationals
for the values, leave-one-out trials for the jackknife, mpmath quantiles. Writes golden/suite-intervals.json,
golden/score-intervals.json and golden/grouped-intervals.json.
"""
from fractions import Fraction
from functools import cache
from math import comb
from statistics import variance

from mpmath import erfinv, exp, log, loggamma, mp, mpf, sqrt

from golden import write

mp.dps = 30
ORACLE = f"Python fractions and mpmath {__import__('mpmath').__version__}, 30 digits"


def real(f):
    return mpf(f.numerator) / f.denominator if isinstance(f, Fraction) else mpf(f)


def solve(increasing, low, high):
    """Bisection to six digits, then the secant."""
    low, high = mpf(low), mpf(high)
    for _ in range(22):
        middle = (low + high) / 2
        if increasing(middle) < 0:
            low = middle
        else:
            high = middle
    f_low, f_high = increasing(low), increasing(high)
    while abs(high - low) > abs(high) * mpf(10) ** -22 and f_high != f_low:
        low, high = high, high - f_high * (high - low) / (f_high - f_low)
        f_low, f_high = f_high, increasing(high)
    return high


def beta_cdf(x, a, b):
    """The power series with positive terms only; mpmath's betainc gives up at large parameters."""
    if x > a / (a + b):
        return 1 - beta_cdf(1 - x, b, a)
    if x <= 0:
        return mpf(0)
    term = total = mpf(1)
    n = 0
    while term > total * mpf(10) ** -30:
        n += 1
        term *= (a + b + n - 1) * x / (a + n)
        total += term
    return total * exp(a * log(x) + b * log(1 - x) - log(a) - loggamma(a) - loggamma(b) + loggamma(a + b))


def z_of(level):
    return sqrt(2) * erfinv(mpf(level))


@cache
def t_of(level, df):
    """The t that |T| exceeds with probability 1 - level."""
    df = mpf(df)
    return solve(lambda t: 1 - mpf(level) - beta_cdf(df / (df + t * t), df / 2, mpf(1) / 2), 1e-6, 1000)


@cache
def exact(rate, n, level):
    """Clopper-Pearson for a rate in n trials, both real."""
    tail = (1 - mpf(level)) / 2

    def low(passes):
        if passes == 0:
            return mpf(0)
        if passes >= 1:
            return solve(lambda x: beta_cdf(x, passes, n - passes + 1) - tail, 0, 1)
        # Less than one pass: the bound may be tiny, so its logarithm is halved in on.
        least, most = (log(tail) - 5) / passes - 50, mpf(0)
        while most - least > mpf(10) ** -25 * (1 + abs(least)):
            middle = (least + most) / 2
            if beta_cdf(exp(middle), passes, n - passes + 1) < tail:
                least = middle
            else:
                most = middle
        return exp(least)

    return low(rate * n), 1 - low(n - rate * n)


def value(aim, n, c, k):
    return 1 - Fraction(comb(n - c, k), comb(n, k)) if aim == "any" else Fraction(comb(c, k), comb(n, k))


def jackknife(aim, n, c, k):
    """Leave out each trial in turn."""
    if c in (0, n):
        return Fraction(0)
    left = [value(aim, n - 1, c - 1, k)] * c + [value(aim, n - 1, c, k)] * (n - c)
    centre = sum(left) / n
    return Fraction(n - 1, n) * sum((u - centre) ** 2 for u in left)


def similar(cases, trials):
    """Parts in which no case has more than twice the trials of another."""
    parts = []
    for case in sorted(cases, key=trials):
        if not parts or trials(case) > 2 * trials(parts[-1][0]):
            parts.append([])
        parts[-1].append(case)
    return parts


def added(parts):
    """(mean, cases, low, high) of each part to the bounds of the mean over all: squares of the distances add up."""
    if len(parts) == 1:
        return parts[0][2:]
    m = sum(p[1] for p in parts)
    mean = sum(real(p[0]) * p[1] for p in parts) / m
    reach = [sqrt(sum((mpf(p[1]) / m * (p[side] - real(p[0]))) ** 2 for p in parts)) for side in (2, 3)]
    return max(mpf(0), mean - reach[0]), min(mpf(1), mean + reach[1])


def suite(cases, aim, k, target, level):
    used = [(n, c) for n, c in cases if n >= k]
    m = len(used)
    values = [value(aim, n, c, k) for n, c in used]
    mean = sum(values) / m

    def part(cases):
        m = len(cases)
        mean = sum(value(aim, n, c, k) for n, c in cases) / m
        attempts = Fraction(m * m) / sum(Fraction(k, n) for n, _ in cases)
        var = Fraction(0) if any(n <= k for n, _ in cases) else sum(jackknife(aim, n, c, k) for n, c in cases) / m**2
        if k > 1:
            var = min(var, mean * (1 - mean) / attempts)
        n_eff = attempts if var == 0 else min(mean * (1 - mean) / var, 3 * attempts)
        return (mean, m, *exact(real(mean), real(n_eff), level))

    fixed = added([part(p) for p in similar(used, lambda case: case[0])])
    if target == "fixed":
        return m, mean, fixed
    if all(v in (0, 1) for v in values):
        n_eff = Fraction(m)
    else:
        var = variance(values) / m
        attempts = Fraction(m * m) / sum(Fraction(k, n) for n, _ in used)
        n_eff = Fraction(m) if var == 0 else min(mean * (1 - mean) / var, m if m < 10 else 2 * m, attempts)
    low, high = exact(real(mean), real(n_eff), level)
    return m, mean, (min(low, fixed[0]), max(high, fixed[1]))


SUITES = {
    "mixed": [(5, 4), (5, 2), (5, 5), (5, 0), (5, 5), (5, 3)],
    "near the ceiling": [(10, 10)] * 17 + [(10, 9)] * 3,
    "all pass": [(5, 5)] * 20,
    "all alike": [(5, 4)] * 8,
    "never or always": [(10, 0)] * 3 + [(10, 10)] * 7,
    "unequal": [(3, 1), (5, 5), (8, 6), (10, 2), (50, 44), (4, 4)],
    "few or many": [(5, 5)] * 6 + [(30, 29)] * 6,
    "two cases": [(20, 11), (20, 3)],
    "large": [(100, c) for c in range(0, 101, 10)],
    "one trial more than k": [(6, 6)] * 7 + [(6, 1), (6, 5), (6, 0)],
    "one trial more or none": [(5, 5)] * 4 + [(6, 6)] * 4 + [(6, 1), (5, 1)],
}
vectors = []
for name, cases in SUITES.items():
    for aim in ("any", "all"):
        for k in (1, 3, 5):
            for target in ("population", "fixed"):
                for level in (0.95, 0.8):
                    m, mean, (low, high) = suite(cases, aim, k, target, level)
                    vectors.append({"suite": name, "cases": cases, "aim": aim, "k": k, "target": target, "level": level,
                                    "n": m, "value": float(mean), "low": float(low), "high": float(high)})
write("suite-intervals", ORACLE, __file__, vectors)


def scores(cases, target, level):
    """cases: lists of scores as exact fractions."""
    m = len(cases)
    means = [sum(s) / len(s) for s in cases]
    mean = sum(means) / m
    spread = mean * (1 - mean)
    tail = (1 - mpf(level)) / 2

    def joined(mean, n_eff, draws):
        seen = tail ** (1 / real(draws))
        bounds = [(real(mean) * seen, 1 - (1 - real(mean)) * seen)]
        if n_eff is not None:
            bounds.append(exact(real(mean), n_eff, level))
        return min(b[0] for b in bounds), max(b[1] for b in bounds)

    def part(cases):
        m = len(cases)
        mean = sum(sum(s) / len(s) for s in cases) / m
        trials = Fraction(m * m) / sum(Fraction(1, len(s)) for s in cases)
        if any(len(s) == 1 for s in cases):
            return (mean, m, *exact(real(mean), real(trials), level))
        var = sum(variance(s) / len(s) for s in cases) / m**2
        return (mean, m, *joined(mean, None if var == 0 else real(mean * (1 - mean) / var), trials))

    fixed = added([part(p) for p in similar(cases, len)])
    if target == "fixed":
        return mean, fixed

    def wide(bounds):
        return min(bounds[0], fixed[0]), max(bounds[1], fixed[1])

    if all(v in (0, 1) for v in means):
        return mean, wide(exact(real(mean), mpf(m), level))
    var = variance(means) / m
    shrink = (z_of(level) / t_of(level, m - 1)) ** 2
    return mean, wide(joined(mean, None if var == 0 else real(spread / var) * shrink, Fraction(m)))


def hundredths(*rows):
    return [[Fraction(s, 100) for s in row] for row in rows]


SCORES = {
    "ordinary": hundredths((70, 80, 65), (90, 95, 100), (40, 55, 30), (85, 85, 90), (60, 75, 70), (95, 90, 85)),
    "near the ceiling": hundredths(*[(100, 100, 98, 100)] * 3, *[(100,) * 4] * 17),
    "one zero": hundredths((100, 0, 100, 100), *[(100,) * 4] * 9),
    "all 1": hundredths(*[(100, 100)] * 12),
    "all half": hundredths(*[(50, 50, 50)] * 12),
    "one trial each": hundredths((70,), (80,), (95,), (20,), (100,)),
    "unequal": hundredths((70, 80), (10, 30, 20, 40, 35, 15), (100, 90, 95)),
    "0 and 1 by case": hundredths((100, 100), (0, 0), (100, 100), (100, 100)),
}
vectors = []
for name, cases in SCORES.items():
    for target in ("population", "fixed"):
        for level in (0.95, 0.8):
            mean, (low, high) = scores(cases, target, level)
            sums = [{"n": len(s), "sum": float(sum(s)), "sumSq": float(sum(x * x for x in s))} for s in cases]
            vectors.append({"suite": name, "cases": sums, "target": target, "level": level, "value": float(mean),
                            "low": float(low), "high": float(high)})
write("score-intervals", ORACLE, __file__, vectors)


def grouped(values, groups, attempts, level):
    m, names = len(values), sorted(set(groups))
    mean = sum(values) / m
    sums = [sum(v - mean for v, g in zip(values, groups) if g == name) for name in names]
    G = len(names)
    var = Fraction(G, G - 1) * sum(s * s for s in sums) / m**2
    alike = Fraction(m * m, sum(groups.count(name) ** 2 for name in names))
    seen = exp(log((1 - mpf(level)) / 2) / real(alike))
    unseen = real(mean) * seen, 1 - (1 - real(mean)) * seen
    if var == 0:
        return unseen
    shrink = (z_of(level) / t_of(level, real(alike) - 1)) ** 2
    n_eff = real(mean * (1 - mean) / var) * shrink
    low, high = exact(real(mean), min(n_eff, attempts) if attempts else n_eff, level)
    return min(low, unseen[0]), max(high, unseen[1])


def tenths(*values):
    return [Fraction(v, 10) for v in values]


vectors = []
for values, groups, attempts in [
    (tenths(2, 4, 10, 6, 0, 8, 8, 9), [1, 1, 2, 2, 3, 3, 4, 4], None),
    (tenths(2, 4, 10, 6, 0, 8, 8, 9), [1, 1, 2, 2, 3, 3, 4, 4], 3),
    (tenths(10, 10, 0, 0, 10, 10, 10, 0), [1, 1, 2, 2, 3, 3, 4, 4], None),
    (tenths(5, 5, 5, 5), [1, 2, 2, 3], None),
    (tenths(7, 8, 7, 8, 7, 8), [1, 1, 2, 2, 3, 3], None),
    (tenths(10, 10, 10), [1, 2, 2], None),
]:
    low, high = grouped(values, groups, attempts, 0.95)
    vectors.append({"values": [float(v) for v in values], "groups": groups, "attempts": attempts, "low": float(low), "high": float(high)})
write("grouped-intervals", ORACLE, __file__, vectors)
