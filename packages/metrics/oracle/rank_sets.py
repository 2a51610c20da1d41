"""Rank sets from scipy's one-sided paired t tests, with the skewness that pairedDifference allows for, and statsmodels'
Holm. Writes golden/rank-sets.json.

Only boards on which Benjamini-Hochberg, or no correction at all, would give other sets are kept: on the rest a wrong
correction could not be told from the right one.
"""
import random

import scipy
import statsmodels
from scipy.stats import t as student, ttest_rel
from statsmodels.stats.multitest import multipletests

from golden import extension, interval_p, write

rng = random.Random(1729)


def p_better(a, b):
    """One-sided p of "a is better than b": scipy's, or half of the interval's p where the interval reaches further."""
    d = [x - y for x, y in zip(a, b)]
    m, mean = len(d), sum(d) / len(d)
    plain = float(ttest_rel(a, b, alternative="greater").pvalue)
    residuals = [x - mean for x in d]
    if mean * extension(residuals, 0.95) >= 0:
        return plain
    se = (sum(e * e for e in residuals) / (m - 1) / m) ** 0.5
    two = float(interval_p(abs(mean), lambda at: student.ppf((1 + float(at)) / 2, m - 1) * se + abs(extension(residuals, at)) / m))
    return two / 2 if mean > 0 else 1 - two / 2


def sets(m, pairs, p, alpha, method):
    rejected = [x <= alpha for x in p] if method is None else multipletests(p, alpha, method)[0]
    better = [pair for pair, proven in zip(pairs, rejected) if proven]
    return [[1 + sum(j == i for _, j in better), m - sum(k == i for k, _ in better)] for i in range(m)]


vectors = []
while len(vectors) < 12:
    subjects, cases, level = rng.randint(3, 7), rng.choice([12, 20, 30]), rng.choice([0.9, 0.95])
    ease = [rng.random() for _ in range(cases)]
    values = [[sum(rng.random() < min(1, 0.8 * e + 0.06 * s) for _ in range(10)) / 10 for e in ease] for s in range(subjects)]
    rng.shuffle(values)
    pairs = [(i, j) for i in range(subjects) for j in range(subjects) if i != j]
    plain = [float(ttest_rel(values[i], values[j], alternative="greater").pvalue) for i, j in pairs]
    # The p of the interval is at least that of the t test. So only boards that the t test tells apart are looked at.
    if sets(subjects, pairs, plain, 1 - level, "holm") == sets(subjects, pairs, plain, 1 - level, "bonferroni"):
        continue
    p = [p_better(values[i], values[j]) for i, j in pairs]
    holm, *others = (sets(subjects, pairs, p, 1 - level, method) for method in ("holm", "fdr_bh", None, "bonferroni"))
    if holm in others:
        continue
    vectors.append({"values": values, "level": level, "sets": holm})
write("rank-sets", f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}", __file__, vectors)
