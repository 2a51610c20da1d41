"""Rank sets from scipy's one-sided paired t tests and statsmodels' Holm. Writes golden/rank-sets.json.

Only boards on which Benjamini-Hochberg, or no correction at all, would give other sets are kept: on the rest a wrong
correction could not be told from the right one.
"""
import random

import scipy
import statsmodels
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from golden import write

rng = random.Random(1729)


def sets(values, alpha, method):
    m = len(values)
    pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
    p = [float(ttest_rel(values[i], values[j], alternative="greater").pvalue) for i, j in pairs]
    rejected = [x <= alpha for x in p] if method is None else multipletests(p, alpha, method)[0]
    better = [pair for pair, proven in zip(pairs, rejected) if proven]
    return [[1 + sum(j == i for _, j in better), m - sum(k == i for k, _ in better)] for i in range(m)]


vectors = []
while len(vectors) < 12:
    subjects, cases, level = rng.randint(3, 7), rng.choice([12, 20, 30]), rng.choice([0.9, 0.95])
    ease = [rng.random() for _ in range(cases)]
    values = [[sum(rng.random() < min(1, 0.8 * e + 0.06 * s) for _ in range(10)) / 10 for e in ease] for s in range(subjects)]
    rng.shuffle(values)
    holm = sets(values, 1 - level, "holm")
    if holm in (sets(values, 1 - level, "fdr_bh"), sets(values, 1 - level, None), sets(values, 1 - level, "bonferroni")):
        continue
    vectors.append({"values": values, "level": level, "sets": holm})
write("rank-sets", f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}", __file__, vectors)
