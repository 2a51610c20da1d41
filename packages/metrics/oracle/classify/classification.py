"""Figures of classifications: values by scikit-learn, standard errors by statsmodels (cluster-robust regression on a
constant), bounds by scipy. Writes golden/classification.json."""
import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.stats import beta, norm, t
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from golden import write

rng = np.random.default_rng(7)
NONE = "\uffffnone"


def exact(rate, n, tail):
    c, f = rate * n, (1 - rate) * n
    low = 0.0 if c == 0 else beta.ppf(tail, c, f + 1)
    high = 1.0 if f == 0 else beta.ppf(1 - tail, c + 1, f)
    return float(low), float(high)


def share(hits, units, level):
    """Rate, standard error and bounds of a share of trials; units[i] is the unit of trial i."""
    y, units = np.array(hits, float), list(units)
    if len(y) == 0:
        return None
    rate, tail = float(y.mean()), (1 - level) / 2
    names = sorted(set(units))
    if len(names) == len(units):
        return {"value": rate, "n": len(y), "bounds": exact(rate, len(y), tail)}
    if len(names) < 2:
        return {"value": rate, "n": len(y), "bounds": None}
    codes = np.array([names.index(u) for u in units])
    if np.ptp(y) == 0:
        se = 0.0
    else:
        se = float(sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": codes}).bse[0])
    worth = len(y) ** 2 / sum(float((codes == g).sum()) ** 2 for g in range(len(names)))
    unseen = tail ** (1 / worth)
    low, high = rate * unseen, 1 - (1 - rate) * unseen
    if se > 1e-12:
        n = min(rate * (1 - rate) / se**2 * (norm.ppf(tail) / t.ppf(tail, worth - 1)) ** 2, len(y))
        a, b = exact(rate, n, tail)
        low, high = min(a, low), max(b, high)
    return {"value": rate, "n": len(y), "se": se, "bounds": (low, high)}


def f1(j):
    if j is None:
        return None
    g = lambda x: 2 * x / (1 + x)
    return {"value": g(j["value"]), "n": j["n"], "bounds": j["bounds"] and [g(x) for x in j["bounds"]]}


def figures(trials, level):
    """trials: (expected, predicted or None, unit)."""
    e, p, u = [x[0] for x in trials], [NONE if x[1] is None else x[1] for x in trials], [x[2] for x in trials]
    names = sorted(set(e) | {x for x in p if x != NONE})
    precision, recall, fscore, _ = precision_recall_fscore_support(e, p, labels=names, zero_division=0)
    micro = precision_recall_fscore_support(e, p, labels=names, average="micro", zero_division=0)
    macro = precision_recall_fscore_support(e, p, labels=names, average="macro", zero_division=0)
    pick = lambda keep, hit, k: share([hit(i, k) for i in range(len(e)) if keep(i, k)],
                                      [u[i] for i in range(len(e)) if keep(i, k)], level)
    right = lambda i, k: float(e[i] == p[i])
    classes = []
    for k, name in enumerate(names):
        one = {"name": name,
               "precision": pick(lambda i, k: p[i] == name, right, k),
               "recall": pick(lambda i, k: e[i] == name, right, k),
               "f1": f1(pick(lambda i, k: p[i] == name or e[i] == name, right, k))}
        for key, theirs in (("precision", precision), ("recall", recall), ("f1", fscore)):
            if one[key] is not None:
                assert abs(one[key]["value"] - theirs[k]) < 1e-12
                one[key]["value"] = float(theirs[k])
        classes.append(one)
    accuracy = pick(lambda i, k: True, right, None)
    assert abs(accuracy["value"] - accuracy_score(e, p)) < 1e-12
    table = confusion_matrix(e, p, labels=names + [NONE])[:-1]
    return {"trials": trials, "level": level, "classes": classes, "accuracy": accuracy, "confusion": table.tolist(),
            "micro": [float(x) for x in micro[:3]], "macro": [float(x) for x in macro[:3]]}


def draw(cases, per, classes, skill, silent):
    out = []
    for c in range(cases):
        label = classes[int(rng.integers(len(classes)))]
        solid = rng.random() < skill
        for _ in range(per):
            said = label if solid or rng.random() < 0.3 else classes[int(rng.integers(len(classes)))]
            out.append((label, None if rng.random() < silent else said, f"u{c}"))
    return out


CASES = [
    [("a", "a", "1"), ("a", "b", "2"), ("b", "b", "3"), ("b", None, "4")],
    [("a", "a", "1"), ("b", "b", "2")],
    [("a", "b", "1"), ("b", "a", "2"), ("a", "c", "3")],
    [("a", "a", "1"), ("a", "a", "1"), ("a", "b", "2"), ("b", "b", "2"), ("b", "b", "3"), ("b", "a", "3")],
]
for cases, per, classes, skill, silent in [(40, 1, "ab", 0.7, 0), (60, 1, "abc", 0.6, 0.1), (30, 4, "abc", 0.5, 0.05),
                                           (200, 1, "abcdef", 0.8, 0.02), (25, 3, "ab", 0.9, 0)]:
    CASES.append(draw(cases, per, list(classes), skill, silent))
write("classification", f"scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}, scipy {scipy.__version__}",
      __file__, [figures(trials, level) for trials in CASES for level in (0.95, 0.8)])
