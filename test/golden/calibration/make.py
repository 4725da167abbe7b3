"""Reference values for the arithmetic of calibration, from libraries that share no code with ours, on a seeded sample with ties and weights.

Run `python make.py > golden.json` with the packages of requirements.txt. The sample is written out, so the tests need neither Python nor this seed.
"""

import importlib.metadata
import json
import sys
import warnings

import numpy as np
import relplot
import scipy
import sklearn
from scipy import optimize, special, stats
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

warnings.filterwarnings("ignore")
random = np.random.default_rng(20261121)

# Probabilities that are too sure, rounded so that they tie, with labels and weights.
N = 600
true_logit = random.normal(0.3, 1.4, N)
p = np.clip(np.round(special.expit(1.8 * true_logit + 0.3), 2), 0.005, 0.995)
y = (random.random(N) < special.expit(true_logit)).astype(int)
weights = np.round(random.gamma(2.0, 0.5, N), 2) + 0.01


def isotonic(w):
    fit = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=w)
    return {"fitted": fit.predict(p).tolist()}


def scores(w):
    return {
        "logLoss": log_loss(y, p, sample_weight=w),
        "brier": brier_score_loss(y, p, sample_weight=w),
        "auroc": roc_auc_score(y, p, sample_weight=w),
    }


def smooth_error(sigma, w):
    """The integral of |residual| without quadrature: between the roots of the residual its antiderivative is known."""
    shares = w / w.sum()
    images = np.concatenate([p + m for m in range(-8, 9, 2)] + [m - p for m in range(-8, 9, 2)])
    masses = np.tile(shares * (p - y), 18)

    def residual(t):
        return float(np.sum(masses * stats.norm.pdf((t - images) / sigma)) / sigma)

    def antiderivative(t):
        return float(np.sum(masses * special.ndtr((t - images) / sigma)))

    grid = np.linspace(0, 1, 1 + int(40 / sigma))
    values = [residual(t) for t in grid]
    edges = [0.0]
    for a, b, u, v in zip(grid, grid[1:], values, values[1:]):
        if u * v < 0:
            edges.append(optimize.brentq(residual, a, b, xtol=1e-14))
    heights = [antiderivative(t) for t in edges + [1.0]]
    return float(np.sum(np.abs(np.diff(heights))))


def smooth(w):
    fixed = optimize.brentq(lambda sigma: smooth_error(sigma, w) - sigma, 0.005, 0.5, xtol=1e-10)
    return {"at": {str(sigma): smooth_error(sigma, w) for sigma in (0.02, 0.05, 0.1, 0.3)}, "fixedPoint": fixed}


def distributions():
    classes = 4
    rows = random.dirichlet(np.full(classes, 0.7), 60)
    rows = rows / rows.sum(axis=1, keepdims=True)
    labels = np.array([random.choice(classes, p=row) for row in rows])
    return {
        "rows": rows.tolist(),
        "labels": labels.tolist(),
        "logLoss": log_loss(labels, rows, labels=range(classes)),
        "brier": brier_score_loss(labels, rows, labels=range(classes), scale_by_half=False),
    }


def pools():
    cases = []
    for length, count in ((2, 2), (3, 4), (5, 3), (9, 6)):
        rows = random.dirichlet(np.full(length, 0.5), count)
        logs = np.log(rows)
        cases.append({"logProbabilities": logs.tolist(), "logarithmic": special.log_softmax(logs.mean(axis=0)).tolist()})
    return cases


BETA = [(0.5, 1, 1), (0.3, 2, 5), (0.97, 30, 2), (1e-4, 0.5, 0.5), (0.5, 4, 1), (0.08, 5, 56), (0.9, 900, 120), (0.5, 20000, 20100), (0.2, 0.3, 40)]
NORMAL = [-37.5, -8, -3.0001, -2.9999, -1.96, -0.5, 0, 1e-9, 0.7, 2.5, 3.2, 6]
SHARES = [1e-300, 1e-12, 1e-4, 0.02424, 0.02426, 0.1, 0.5, 0.6, 0.975, 0.999999]
COUNTS = [(0, 10), (4, 60), (17, 20), (1, 1000), (250, 5000), (59, 60)]

golden = {
    "made with": {
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "relplot": importlib.metadata.version("relplot"),
    },
    "sample": {"p": p.tolist(), "y": y.tolist(), "weights": weights.tolist()},
    "isotonic": {"equal": isotonic(None), "weighted": isotonic(weights)},
    "scores": {"equal": scores(None), "weighted": scores(weights)},
    "smooth": {"equal": smooth(np.ones(N)), "weighted": smooth(weights), "relplot": float(relplot.smECE(p, y))},
    "distributions": distributions(),
    "pools": pools(),
    "logGamma": [[x, float(special.gammaln(x))] for x in (1e-3, 0.2, 0.5, 1.5, 3.7, 12, 170.5, 1e5)],
    "beta": [[x, a, b, float(special.betainc(a, b, x))] for x, a, b in BETA],
    "inverseBeta": [[q, a, b, float(special.betaincinv(a, b, q))] for q in (0.025, 0.5, 0.9) for _, a, b in BETA],
    "normalCdf": [[x, float(special.ndtr(x))] for x in NORMAL],
    "normalQuantile": [[q, float(special.ndtri(q))] for q in SHARES],
    "clopperPearsonUpper": [
        [k, n, delta, stats.binomtest(k, n, alternative="less").proportion_ci(1 - delta, "exact").high]
        for k, n in COUNTS
        for delta in (0.05, 0.1)
    ],
    "wilson": [[k, n, *map(float, stats.binomtest(k, n).proportion_ci(0.95, "wilson"))] for k, n in COUNTS],
    "quantiles": [[share, float(np.quantile(p, share))] for share in (0, 0.025, 0.5, 0.8, 0.975, 1)],
}
# One line per part, so that a change shows where it is.
print("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in golden.items()) + "\n}")
