"""Writes reference.json: what published implementations answer.

    python3 -m venv venv
    venv/bin/pip install scipy==1.16.3 statsmodels==0.15.0 apache-otava==0.8.0
    venv/bin/python reference.py > reference.json

R (wilcox.test) must be on the path as Rscript.
"""

import json
import subprocess
from importlib.metadata import version

import numpy as np
from otava.change_point_divisive.calculator import PairDistanceCalculator
from otava.change_point_divisive.detector import ChangePointDetector
from otava.change_point_divisive.significance_test import PermutationsSignificanceTester
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(14)


def rounded(xs, digits=4):
    return [round(float(x), digits) for x in xs]


def wilcox(a, b, conf):
    """U, p, shift and interval of R's wilcox.test."""
    code = """
    options(digits=15); x <- c({}); y <- c({})
    r <- suppressWarnings(wilcox.test(x, y, conf.int=TRUE, conf.level={}))
    cat(r$statistic, r$p.value, r$estimate, r$conf.int, sep=" ")
    """.format(",".join(map(str, a)), ",".join(map(str, b)), conf)
    out = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True).stdout
    return [float(x) for x in out.split()]


two = []
for m, n, shift, digits in [(5, 6, 0.5, 4), (8, 8, 0, 4), (20, 30, 0.4, 4), (49, 49, 0.3, 4), (60, 80, 0.3, 4), (200, 150, 0.1, 4), (12, 15, 1, 0), (70, 70, 0.5, 1)]:
    a, b = rounded(rng.normal(10, 1, m), digits), rounded(rng.normal(10 - shift, 1, n), digits)
    u, p, est, lo, hi = wilcox(a, b, 0.95)
    exact = len(set(a + b)) == m + n and max(m, n) < 50
    check = stats.mannwhitneyu(a, b, method="exact" if exact else "asymptotic")
    assert check.statistic == u and abs(check.pvalue - p) < 1e-9, (check, u, p)
    two.append(dict(a=a, b=b, u=u, p=p, exact=exact, shift=est, lo=lo, hi=hi))

ps = [0.01, 0.04, 0.03, 0.005, 0.9, 0.03]
holm = dict(p=ps, adjusted=list(multipletests(ps, method="holm")[1]))

# The series of changes were drawn after other samples, which nothing uses any more.
rng.exponential(5, 40), rng.lognormal(1, 1, 100)
for _ in range(3):
    rng.normal(0, 1, 25), rng.normal(0, 1, 20)

changes = []
for parts in [[(30, 10, 1), (30, 13, 1)], [(40, 10, 1), (20, 14, 1), (40, 10, 1)], [(80, 5, 1)], [(25, 5, 1), (25, 8, 1), (25, 12, 1)]]:
    xs = rounded(np.concatenate([rng.normal(mean, dev, n) for n, mean, dev in parts]))
    series = np.array(xs)
    first = PairDistanceCalculator(series).get_next_candidate([slice(0, len(xs))])
    found = ChangePointDetector(PermutationsSignificanceTester(0.01, 399, PairDistanceCalculator, 3), PairDistanceCalculator).get_change_points(series)
    changes.append(dict(x=xs, at=[int(c.index) for c in found], first=int(first.index), q=float(first.qhat)))

mixture = []
for s, n, p in [(0, 8, 0.5), (30, 100, 0.5), (95, 100, 0.9), (0, 69, 0.9), (984, 984, 0.99)]:
    mixture.append(dict(s=s, n=n, p=p, log=float(stats.binom.logpmf(s, n, p))))

beta = [dict(m=m, k=k, q=float(stats.beta.ppf(0.9, m - k + 1, k))) for m, k in [(20, 18), (50, 45), (100, 90), (300, 270)]]


def rank_sum(x, y, axis):
    return stats.rankdata(np.concatenate([x, y], axis=axis), axis=axis)[..., : x.shape[axis]].sum(axis=axis)


tied = []
for a, b in [
    ([0] * 5, [1] * 5),
    ([0] * 10, [0] * 5 + [1] * 5),
    ([0] * 9 + [1] * 3, [0] * 4 + [1, 1, 2, 7]),
    ([4, 4, 5, 5, 6, 7, 7, 9, 12], [5, 6, 7, 7, 8, 9, 9, 10, 14, 15]),
]:
    r = stats.permutation_test((np.array(a), np.array(b)), rank_sum, vectorized=True, n_resamples=np.inf, batch=20_000)
    tied.append(dict(a=a, b=b, p=float(r.pvalue)))



def shift(x, y, axis):
    return y.mean(axis=axis) - x.mean(axis=axis)


def permuted(a, b):
    return float(stats.permutation_test((a, b), shift, vectorized=True, n_resamples=np.inf, batch=20_000).pvalue)


def inverted(a, b, alpha, inside, outside):
    """The end of the shifts of b whose p is above alpha, between one that is and one that is not."""
    for _ in range(45):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if permuted(a, b - middle) > alpha else (inside, middle)
    return inside


blocks, drawn = [], np.random.default_rng(27)
for m, n, by in [(5, 5, 0.3), (6, 6, 0.1), (6, 6, 0), (5, 6, -0.1), (7, 4, 0.05), (3, 3, 0.5)]:
    a, b = np.array(rounded(drawn.normal(2, 0.05, m))), np.array(rounded(drawn.normal(2 + by, 0.05, n)))
    case = dict(a=list(a), b=list(b), p=permuted(a, b), shift=float(b.mean() - a.mean()))
    if permuted(a, b - 9) <= 0.025:
        case |= dict(lo=inverted(a, b, 0.025, case["shift"], -9), hi=inverted(a, b, 0.025, case["shift"], 9))
    blocks.append(case)
blocks.append(dict(a=[1.0, 1, 2, 2, 3], b=[2.0, 2, 3, 3, 3], p=permuted(np.array([1.0, 1, 2, 2, 3]), np.array([2.0, 2, 3, 3, 3])), shift=0.8))

print(json.dumps(dict(
    versions={n: version(n) for n in ["scipy", "statsmodels", "apache-otava"]}
    | {"R": subprocess.run(["Rscript", "-e", "cat(as.character(getRversion()))"], capture_output=True, text=True, check=True).stdout},
    two=two, tied=tied, blocks=blocks, holm=holm, changes=changes, mixture=mixture, beta=beta)))
