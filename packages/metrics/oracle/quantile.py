"""Type-7 quantiles by numpy. Writes golden/quantile.json."""
import numpy as np

from golden import write

rng = np.random.default_rng(20240611)
LISTS = [
    [3.5], [1, 2], [0, 0, 1], [1, 2, 3, 10], [-1e300, 1e-300, 1e300], [0.1, 0.1, 0.1],
    sorted(rng.standard_normal(10).tolist()), sorted(rng.exponential(size=101).tolist()),
    sorted(rng.integers(0, 5, 999).tolist()),
]
PS = [0, 0.001, 0.025, 0.05, 0.25, 1 / 3, 0.5, 0.55, 0.9, 0.975, 1]
vectors = [
    {"values": values, "quantiles": [[p, float(np.quantile(np.array(values, float), p))] for p in PS]}
    for values in LISTS
]
# Exact; numpy's own interpolation overflows where the ends are 1.8e308 apart.
vectors.append({"values": [-1e308, 1e308], "quantiles": [[0.5, 0.0], [0.75, 5e307], [1, 1e308]]})
write("quantile", f"numpy {np.__version__}", __file__, vectors)
