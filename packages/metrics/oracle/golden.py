"""What several oracles share: how a golden file is written (the oracle's name and version, the script, and the vectors),
and what the interval of a skewed mean reaches further than a symmetric one."""
import json
import platform
from pathlib import Path

import mpmath
from scipy import stats


def write(name, oracle, script, vectors):
    path = Path(__file__).resolve().parent.parent / "golden" / f"{name}.json"
    head = {"oracle": f"{oracle}, Python {platform.python_version()}", "script": f"oracle/{Path(script).resolve().relative_to(Path(__file__).resolve().parent)}"}
    rows = ",\n".join("    " + json.dumps(v, allow_nan=False) for v in vectors)
    body = json.dumps(head, indent=2)[:-2]
    path.write_text(f'{body},\n  "vectors": [\n{rows}\n  ]\n}}\n')
    print(f"{path.name}: {len(vectors)} vectors")


def extension(residuals, level):
    """Residuals with the second and third moment of u times a Poisson count with mean x: the upper bound of the mean of a
    Poisson variable after x events is the gamma quantile with the shape x + 1 (Garwood 1936), here by Wilson and Hilferty's
    formula, which is compared with scipy's quantile."""
    e = [mpmath.mpf(float(x)) for x in residuals]
    squares, cubes = mpmath.fsum(x**2 for x in e), mpmath.fsum(x**3 for x in e)
    if abs(cubes) <= 1e-9 * squares ** mpmath.mpf(1.5):
        return mpmath.mpf(0)
    z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))
    u, x = cubes / squares, squares**3 / cubes**2
    a = x + 1
    bound = a * (1 - 1 / (9 * a) + z / (3 * mpmath.sqrt(a))) ** 3
    exact = stats.gamma.ppf((1 + float(level)) / 2, float(a))
    assert not 0.5 <= level <= 0.999 or abs(float(bound) / exact - 1) < 0.01, (bound, exact)
    return u * (bound - x - z * mpmath.sqrt(x))


def interval_p(distance, reach_at):
    """1 - the largest level at which the interval reaches less than the distance; 1 if there is none."""
    reach = lambda p: reach_at(1 - mpmath.mpf(p))
    low, high = mpmath.mpf(10) ** -9, mpmath.mpf(1) - mpmath.mpf(10) ** -6
    if reach(high) >= distance:
        return 1
    for _ in range(50):
        middle = mpmath.sqrt(low * high)
        low, high = (middle, high) if reach(middle) > distance else (low, middle)
    return high
