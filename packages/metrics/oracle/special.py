"""Special functions to 50 digits with mpmath. Writes golden/log-gamma, incomplete-beta,
inverse-incomplete-beta, incomplete-gamma, normal and student-t.

Every argument is a double taken as exact, so that an answer differs from ours by our error alone.
Large beta and gamma parameters are integrated numerically in the logit (log) variable, where the
density is a bell; the small ones are summed as power series with 400 digits.
"""
from mpmath import betainc, erfc, exp, gammainc, inf, linspace, log, log1p, loggamma, mp, mpf, quad, sqrt

from golden import write

mp.dps = 50
ORACLE = f"mpmath {__import__('mpmath').__version__}, 50 digits"


def log_beta(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def integrate(log_density, start, scale, side):
    """The mass of exp(log_density) from start towards side, in pieces of one scale, until nothing is left.

    Relative to the density at the start: quad stops at an absolute error, which a tail of 1e-200 would meet at once.
    """
    mp.dps = 30
    height, total, here, piece = log_density(start), mpf(0), mpf(start), scale * side
    while True:
        part = abs(quad(lambda w: exp(log_density(w) - height), [here, here + piece]))
        total += part
        here += piece
        if part < total * mpf(10) ** -22:
            mp.dps = 50
            return total * exp(height)


def beta_series(x, y, a, b):
    """I_x(a, b) by the power series with positive terms only."""
    term = total = mpf(1)
    n = 0
    while True:
        n += 1
        term *= (a + b + n - 1) * x / (a + n)
        total += term
        if term < total * mpf(10) ** -mp.dps:
            return exp(a * log(x) + b * log(y) - log(a) - log_beta(a, b)) * total


def beta_tails(x, a, b):
    """(I_x(a, b), 1 - I_x(a, b)), each with full relative accuracy."""
    x, a, b = mpf(x), mpf(a), mpf(b)
    if min(a, b) <= 2000:
        # With 400 digits one minus a tail of 1e-300 still has a hundred correct ones.
        with mp.workdps(400):
            if x <= 0.5:
                low = beta_series(x, 1 - x, a, b)
                return low, 1 - low
            high = beta_series(1 - x, x, b, a)
            return 1 - high, high
    norm = log_beta(a, b)

    def density(w):
        return -a * log1p(exp(-w)) - b * log1p(exp(w)) - norm

    w, mean = log(x / (1 - x)), log(a / b)
    scale = sqrt(1 / a + 1 / b)
    scale /= max(1, abs(w - mean) / scale / 2)
    if w < mean:
        low = integrate(density, w, scale, -1)
        return low, 1 - low
    high = integrate(density, w, scale, 1)
    return 1 - high, high


def gamma_tails(a, x):
    a, x = mpf(a), mpf(x)
    if a <= 2000:
        return gammainc(a, 0, x, regularized=True), gammainc(a, x, inf, regularized=True)
    norm = loggamma(a)

    def density(w):
        return a * w - exp(w) - norm

    w, mean = log(x), log(a)
    scale = 1 / sqrt(a)
    scale /= max(1, abs(w - mean) / scale / 2)
    if w < mean:
        low = integrate(density, w, scale, -1)
        return low, 1 - low
    high = integrate(density, w, scale, 1)
    return 1 - high, high


def root(increasing, low, high):
    """Bisection to 25 digits and secant steps to 50 on an increasing function."""
    low, high = mpf(low), mpf(high)
    with mp.workdps(25):
        for _ in range(50):
            middle = (low + high) / 2
            if increasing(middle) < 0:
                low = middle
            else:
                high = middle
    f_low, f_high = increasing(low), increasing(high)
    for _ in range(6):
        if f_high == f_low:
            break
        low, high = high, high - f_high * (high - low) / (f_high - f_low)
        f_low, f_high = f_high, increasing(high)
        if abs(high - low) < mpf(10) ** -30 * abs(high):
            break
    return high


# --- log-gamma, log-beta, log-binomial
points = [1e-300, 1e-20, 1e-5, 0.001, 0.1, 0.25, 0.4999, 0.5, 0.75, 0.99, 0.999999, 1 + 1e-10, 1.0001, 1.2, 1.4616321449683622, 1.5,
          1.75, 1.99, 2 - 1e-9, 2 + 1e-12, 2.01, 2.25, 2.5, 2.75, 3, 3.5, 5, 7.25, 9.9, 11.5, 11.999, 12, 12.5, 20, 55.5, 100,
          171.6, 1000, 12345.678, 1e6, 1e8, 1e12, 1e15, 1e100, 1e300]
vectors = [{"x": x, "logGamma": float(loggamma(mpf(x)))} for x in points]
grid = [0.001, 0.3, 0.5, 1, 1.5, 2, 7.5, 11.5, 13, 100.25, 5000, 1e6, 1e8, 1e15]
vectors += [{"a": a, "b": b, "logBeta": float(log_beta(mpf(a), mpf(b)))} for a in grid for b in grid]
mp.dps = 60
for n, k in [(2, 1), (5, 2), (10, 5), (52, 5), (57, 28), (1000, 1), (1000, 500), (10**6, 3), (10**6, 499999), (10**9, 17),
             (10**12, 5), (10**15, 1), (10**15, 999), (9 * 10**15, 4 * 10**15)]:
    vectors.append({"n": n, "k": k, "logChoose": float(loggamma(mpf(n) + 1) - loggamma(mpf(k) + 1) - loggamma(mpf(n - k) + 1))})
mp.dps = 50
write("log-gamma", ORACLE, __file__, vectors)

# --- incomplete beta and its inverse
inverses = []
shapes = [(0.001, 0.001), (0.001, 1), (1, 0.001), (0.01, 50), (0.5, 0.5), (0.5, 3), (1, 1), (2, 3), (0.2, 7.5), (12, 0.3), (30, 40),
          (5.5, 95.5), (200, 300), (0.5, 1e4), (3, 1e6), (1e6, 3), (700, 2500), (2999, 3001), (3500, 4000), (3500, 1e7), (1e5, 1e5),
          (1e8, 1e8), (1e8, 0.001), (0.001, 1e8), (1e8, 2.5), (1e8, 5e3), (1e12, 1e12)]
vectors = []
for a, b in shapes:
    mean = mpf(a) / (mpf(a) + mpf(b))
    sd = sqrt(mean * (1 - mean) / (mpf(a) + mpf(b) + 1))
    spots = [mean + z * sd for z in (-36, -20, -8, -3, -1, -0.2, 0, 0.1, 0.7, 2, 5, 12, 30)]
    spots += [mean * f for f in (mpf(10) ** -250, mpf(10) ** -30, 0.001, 0.3)]
    spots += [mpf(1) - (1 - mean) * f for f in (mpf(10) ** -12, 0.001, 0.3)] + [mpf(10) ** -9, mpf("0.05"), mpf("0.5"), mpf("0.95")]
    seen = set()
    for spot in spots:
        x = float(spot)
        if not 0 < x < 1 or x in seen:
            continue
        seen.add(x)
        if mpf(a) * log(mpf(x)) + mpf(b) * log1p(-mpf(x)) - log_beta(mpf(a), mpf(b)) < -700:
            continue  # a tail below the smallest double
        low, high = beta_tails(x, a, b)
        if low < mpf(10) ** -300 or high < mpf(10) ** -300:
            continue
        vectors.append({"x": x, "a": a, "b": b, "lower": float(low), "upper": float(high)})
        p = float(low)
        if not 0 < p < 1:
            continue
        # The rounding of p moves x by a hair: a Newton step finds the x that belongs to the double p, and near
        # p = 1, where the hair is thick, three more do.
        exact = mpf(x)
        for _ in range(4 if high < 1e-6 else 1):
            slope = exp((mpf(a) - 1) * log(exact) + (mpf(b) - 1) * log(1 - exact) - log_beta(mpf(a), mpf(b)))
            exact += (mpf(p) - low) / slope
            low = beta_tails(exact, a, b)[0] if high < 1e-6 else low
        inverses.append({"p": p, "a": a, "b": b, "x": float(exact)})
write("incomplete-beta", ORACLE, __file__, vectors)
write("inverse-incomplete-beta", ORACLE, __file__, inverses)

# --- incomplete gamma
vectors = []
for a in [0.001, 0.1, 0.5, 1, 1.5, 4, 11.5, 50, 333.5, 2500, 3500, 1e5, 1e8, 1e12]:
    sd = sqrt(mpf(a))
    spots = [a + z * sd for z in (-36, -15, -4, -1, -0.1, 0, 0.1, 0.9, 3, 10, 30)] + [mpf(a) * f for f in (mpf(10) ** -200, 1e-9, 0.01, 0.3)]
    spots += [mpf("0.01"), mpf(1), mpf(20), mpf(650)]
    for x in sorted({float(s) for s in spots if s > 0}):
        if a > 2000 and abs(log(mpf(x) / a)) * sd > 60:
            continue
        low, high = gamma_tails(a, x)
        if low < mpf(10) ** -300 or high < mpf(10) ** -300:
            continue
        vectors.append({"a": a, "x": x, "lower": float(low), "upper": float(high)})
write("incomplete-gamma", ORACLE, __file__, vectors)

# --- normal
vectors = []
for z in [-38, -37.5, -30, -12.3, -8, -5, -3, -1.959963984540054, -1, -0.5, -1e-3, -1e-10, 0, 1e-300, 1e-5, 0.1, 0.6744897501960817, 1, 2, 2.5,
          4.75, 6, 8.3, 15.7, 25.31, 30, 36.99, 37.6]:
    z = float(z)
    vectors.append({"z": z, "cdf": float(erfc(-mpf(z) / sqrt(2)) / 2), "sf": float(erfc(mpf(z) / sqrt(2)) / 2)})
for p in [5e-324, 1e-310, 1e-300, 1e-200, 1e-100, 1e-30, 1e-16, 1e-10, 1e-5, 0.001, 0.025, 0.05, 0.2, 0.25, 0.2500001, 0.3, 0.4, 0.49, 0.5 - 1e-9,
          0.5, 0.5 + 1e-15, 0.51, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.975, 0.995, 0.9995, 1 - 1e-9, 1 - 2**-53]:
    q = mpf(p)
    z = mpf(0) if p == 0.5 else root(lambda z: (log(erfc(-z / sqrt(2)) / 2 / q) if p < 0.3 else log((1 - q) / (erfc(z / sqrt(2)) / 2)) if p > 0.7
                                                else erfc(-z / sqrt(2)) / 2 - q), -40, 40)
    vectors.append({"p": p, "quantile": float(z)})
write("normal", ORACLE, __file__, vectors)


# --- Student's t
def t_sf(t, df):
    t, df = mpf(t), mpf(df)
    if df > 700:
        tail = beta_tails(df / (df + t * t), df / 2, 0.5)[0] / 2 if t > 1 else None
        if tail is None:
            norm = log_beta(df / 2, mpf(1) / 2) + log(df) / 2
            inner = quad(lambda s: exp(-(df + 1) / 2 * log1p(s * s / df) - norm), linspace(0, abs(t), 4)) if t != 0 else mpf(0)
            return mpf(1) / 2 - inner if t > 0 else mpf(1) / 2 + inner
        return tail
    two = betainc(df / 2, mpf(1) / 2, 0, df / (df + t * t), regularized=True)
    return two / 2 if t >= 0 else 1 - two / 2


vectors = []
for df in [0.5, 1, 2, 2.5, 4, 9, 19, 49, 199, 999, 1e5, 1e8]:
    for t in [0, 1e-8, 0.1, 1, 2.0930240544082634, 5, 12, 30, 1e3, 1e10, 1e100, 1e150, 1e250]:
        t = float(t)
        if df > 700 and t > 37:
            continue
        sf = t_sf(t, df)
        if sf > mpf(10) ** -300:
            vectors.append({"t": t, "df": df, "sf": float(sf), "cdf": float(1 - sf)})
for df in [0.5, 1, 2, 3.5, 9, 19, 49, 199]:
    for p in [1e-300, 1e-50, 1e-12, 0.001, 0.025, 0.3, 0.4999, 0.5 + 1e-10, 0.55, 0.75, 0.95, 0.975, 1 - 1e-10]:
        q = mpf(p)
        tail = q if p < 0.5 else 1 - q

        def excess(w):
            t = exp(w)
            return log(tail / t_sf(t, df)) if tail < 0.3 else (mpf(1) / 2 - t_sf(t, df)) - (mpf(1) / 2 - tail)

        w = root(excess, -30, 700 / min(df, 1) + 10)
        if w < 709:
            t = exp(w)
            vectors.append({"p": p, "df": df, "quantile": float(-t if p < 0.5 else t)})
write("student-t", ORACLE, __file__, vectors)
