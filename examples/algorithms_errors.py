"""Error of every algorithm against the answer without privacy, at epsilon 0.1, 1 and 10.

    python examples/algorithms_errors.py                prints the pages' tables
    python examples/algorithms_errors.py mean variance  only these
    python examples/algorithms_errors.py --write        and writes docs/algorithms/*.md
    python examples/algorithms_errors.py --refresh      only puts the present guarantees into them

Noise is seeded, so that the numbers repeat; a release with seeded noise protects nobody.
Guarantees in rho are compared at delta = 1e-6, with the rho whose epsilon there is the one printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from math import log, sqrt
from pathlib import Path
from statistics import median
from typing import NamedTuple

import algorithms_data as data
import numpy as np

import metricdp as dp
from metricdp import algorithms

EPSILONS = (0.1, 1.0, 10.0)
PAGES = Path(__file__).resolve().parent.parent / "docs" / "algorithms"


class Case(NamedTuple):
    """How one algorithm is measured: the data, what its error is, and one run of it."""

    data: str
    error: str
    run: Callable[[float], float]
    repeats: int = 5


def rho_of(epsilon: float, delta: float = 1e-6) -> float:
    """The rho with rho + 2 sqrt(rho log(1/delta)) = epsilon."""
    return (sqrt(log(1 / delta) + epsilon) - sqrt(log(1 / delta))) ** 2


# -- statistics


def count(eps: float) -> float:
    return abs(algorithms.count(data.visits(), eps=eps).value - len(data.visits()))


def total(eps: float) -> float:
    found = algorithms.total(data.visits(), lower=0, upper=80, eps=eps).value
    return abs(found - data.visits().sum()) / data.visits().sum()


def mean(eps: float) -> float:
    found = algorithms.mean(data.visits(), lower=0, upper=80, eps=eps).value
    return abs(found - data.visits().mean())


def mean_of_known_size(eps: float) -> float:
    found = algorithms.mean_of_known_size(data.visits(), lower=0, upper=80, eps=eps).value
    return abs(found - data.visits().mean())


def variance(eps: float) -> float:
    found = algorithms.variance(data.visits(), lower=0, upper=80, eps=eps).value
    return abs(sqrt(found) - data.visits().std())


def histogram(eps: float) -> float:
    words = ("excellent", "good", "fair", "poor")
    found = algorithms.histogram(data.health(), words, eps=eps).value
    return float(max(abs(f - data.health().count(w)) for f, w in zip(found, words, strict=True)))


def cumulative_counts(eps: float) -> float:
    thresholds = tuple(float(t) for t in range(32))
    found = algorithms.cumulative_counts(data.visits(), thresholds, eps=eps).value
    truth = [(data.visits() <= t).sum() for t in thresholds]
    return float(np.abs(np.array(found) - truth).max())


def quantile(eps: float) -> float:
    candidates = tuple(v + 0.5 for v in range(40))
    found = algorithms.quantile(data.visits(), 0.9, candidates, eps=eps).value
    return abs(float(found) - 0.5 - float(np.quantile(data.visits(), 0.9)))


def quantiles(eps: float) -> float:
    shares = tuple(i / 10 for i in range(1, 10))
    found = algorithms.quantiles(data.visits(), shares, 0, 128, eps=eps).value
    return float(np.abs(np.array(found)[:, 0] - np.quantile(data.visits(), shares)).max())


def find_bounds(eps: float) -> float:
    low, high = algorithms.find_bounds(data.visits(), eps=eps).value
    return float(((data.visits() < low) | (data.visits() > high)).mean())


def find_limit(eps: float) -> float:
    """Visits as rows of a person, and a count of them all at epsilon 0.1."""

    def error(limit: int) -> float:
        return limit / 0.1 + float(np.maximum(data.visits() - limit, 0).sum())

    found = algorithms.find_limit(data.visits(), 0.1, eps=eps).value
    return error(found) / min(map(error, range(1, 100))) - 1


def clipped_mean(eps: float) -> float:
    found = algorithms.clipped_mean(data.visits(), largest=1024, share=0.99, eps=eps).value
    return abs(found - data.visits().mean())


def decide(eps: float) -> float:
    words = ("excellent", "good", "fair", "poor")
    return float(algorithms.decide(data.health(), words, eps=eps).value != "excellent")


def mwem(eps: float) -> float:
    values = np.minimum(data.visits()[::10], 31).astype(int)
    ranges = [(low, high) for low in range(0, 32, 4) for high in range(low + 4, 33, 4)]
    lows, highs = zip(*ranges, strict=True)
    found = np.array(algorithms.mwem(values, 32, lows, highs, rounds=10, eps=eps).value)
    truth = np.bincount(values, minlength=32)
    return float(max(abs(found[a:b].sum() - truth[a:b].sum()) for a, b in ranges)) / len(values)


# -- models


def standardise(eps: float) -> float:
    rows = data.marriages()
    means, deviations = algorithms.standardise(rows, bound=0.36, rho=rho_of(eps)).value
    truth = np.concatenate([rows.mean(axis=0), rows.std(axis=0)])
    return float(np.abs(np.concatenate([means, deviations]) - truth).max() / rows.std(axis=0).min())


def covariance(eps: float) -> float:
    rows, _ = data.flowers()
    found = algorithms.covariance(rows, radius=1.0, rho=rho_of(eps)).value
    noisy = np.reshape(found, (4, 4))
    _, vectors = np.linalg.eigh((noisy + noisy.T) / 2)
    exact = rows.T @ rows / len(rows)
    best = np.linalg.eigvalsh(exact)[-1]
    leading = vectors[:, -1]
    return float(1 - leading @ exact @ leading / best)


def clusters(eps: float) -> float:
    rows, _ = data.flowers()
    start = ((0.0, 0.0, -0.2, -0.1), (0.1, 0.0, 0.2, 0.1), (0.3, 0.0, 0.5, 0.2))
    exact = np.array(start)
    for _ in range(5):
        near = ((rows[:, None] - exact) ** 2).sum(axis=2).argmin(axis=1)
        exact = np.array([rows[near == j].mean(axis=0) for j in range(3)])
    found = np.array(algorithms.clusters(rows, start, rounds=5, rho=rho_of(eps)).value)
    cost = [((rows[:, None] - c) ** 2).sum(axis=2).min(axis=1).mean() for c in (found, exact)]
    return float(cost[0] / cost[1] - 1)


def linear_regression(eps: float) -> float:
    rows, labels = data.diabetes()
    found = algorithms.linear_regression(
        (rows, labels), start=(0.0,) * 10, rounds=10, rate=2.0, rho=rho_of(eps)
    ).value
    exact = np.linalg.lstsq(rows, labels, rcond=None)[0]
    losses = [((rows @ w - labels) ** 2).mean() for w in (np.array(found), exact)]
    return float(losses[0] - losses[1])


def logistic_regression(eps: float) -> float:
    rows, labels = data.marriages()[::6], data.affairs()[::6]
    found = algorithms.logistic_regression(
        (rows, labels), start=(0.0,) * 8, rounds=6, rate=20.0, rho=rho_of(eps)
    ).value
    return excess_log_loss(found, rows, labels)


def excess_log_loss(found: object, rows: object, labels: object, decay: float = 0.0) -> float:
    """Log loss of the weights over that of scikit-learn's, with decay/2 |w|^2 added to both."""
    from sklearn.linear_model import LogisticRegression

    strength = 1 / (decay * len(rows)) if decay else 1e6
    exact = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000).fit(rows, labels)
    signs = 2 * labels - 1
    losses = [
        np.logaddexp(0, -signs * (rows @ w)).mean() + decay / 2 * (w @ w)
        for w in (np.array(found), exact.coef_[0])
    ]
    return float(losses[0] - losses[1])


@cache
def sigma_of(epsilon: float, delta: float = 1e-6, **known: float) -> float:
    """The least sigma, within 1%, that spends at most epsilon."""
    name = "minibatch_descent_replaced" if "b" in known else "minibatch_descent"
    spent = getattr(algorithms, name).spent
    low, high = 0.1, 1e5
    while high > 1.01 * low:
        middle = sqrt(low * high)
        within = float(spent(delta, sigma=middle, **known).epsilon) <= epsilon
        low, high = (low, middle) if within else (middle, high)
    return high


def minibatch_descent(eps: float) -> float:
    rows, labels = data.marriages(), data.affairs()
    signed = (2 * labels - 1)[:, None] * rows
    sampled = {"q": 0.05, "rounds": 100}
    found = algorithms.minibatch_descent(
        signed, (0.0,) * 8, rate=8.0, sigma=sigma_of(eps, **sampled), expected=318.0, **sampled
    ).value
    return excess_log_loss(found, rows, labels)


def minibatch_descent_replaced(eps: float) -> float:
    rows, labels = data.marriages(), data.affairs()
    signed = (2 * labels - 1)[:, None] * rows
    sampled = {"b": 200, "rounds": 100}
    sigma = sigma_of(eps, len_rows=len(rows), **sampled)
    found = algorithms.minibatch_descent_replaced(
        signed, (0.0,) * 8, rate=2.0, sigma=sigma, **sampled
    ).value
    return excess_log_loss(found, rows, labels)


def output_perturbation(eps: float) -> float:
    rows, labels = data.marriages()[::6], data.affairs()[::6]
    table = np.column_stack([rows, labels])
    found = algorithms.output_perturbation(
        table, rounds=15, rate=6.0, decay=0.02, rho=rho_of(eps)
    ).value
    return excess_log_loss(found, rows, labels, decay=0.02)


def ridge_regression(eps: float) -> float:
    rows, labels = data.diabetes()
    found = algorithms.ridge_regression(
        np.column_stack([rows, labels]), rounds=15, rate=1.5, decay=0.1, radius=2.0,
        rho=rho_of(eps),
    ).value  # fmt: skip
    exact = np.linalg.solve(rows.T @ rows + 0.1 * len(rows) * np.eye(10), rows.T @ labels)
    losses = [
        ((rows @ w - labels) ** 2).mean() / 2 + 0.05 * (w @ w) for w in (np.array(found), exact)
    ]
    return float(losses[0] - losses[1])


def principal_components(eps: float) -> float:
    rows, _ = data.flowers()
    vectors = algorithms.principal_components(rows, radius=1.0, rho=rho_of(eps)).value
    exact = rows.T @ rows / len(rows)
    leading = np.array(vectors)[:, 0]
    return float(1 - leading @ exact @ leading / np.linalg.eigvalsh(exact)[-1])


def frank_wolfe(eps: float) -> float:
    rows, labels = data.diabetes()
    found = algorithms.frank_wolfe((rows, labels), (0.0,) * 10, 2.0, rounds=8, eps=eps).value
    exact = np.linalg.lstsq(rows, labels, rcond=None)[0]
    losses = [((rows @ w - labels) ** 2).mean() for w in (np.array(found), exact)]
    return float(losses[0] - losses[1])


def choose_model(eps: float) -> float:
    rows, labels = data.marriages(), 2 * data.affairs() - 1
    flat = np.vstack([np.eye(8) - 0.125, 0.125 - np.eye(8)])
    share = [((rows @ m > 0) == (labels > 0)).mean() for m in flat]
    models = tuple(tuple(float(v) for v in m) for m in flat)
    return float(
        max(share) - share[int(algorithms.choose_model((rows, labels), models, eps=eps).value)]
    )


VISITS = "doctor visits in 20,190 person-years (statsmodels `randhie`)"
HEALTH = "self-rated health in 20,190 person-years (statsmodels `randhie`)"
MARRIAGES = "6,366 answers about marriages (statsmodels `fair`)"
DIABETES = "442 patients, 10 columns (scikit-learn `load_diabetes`)"
FLOWERS = "150 irises, 4 columns (scikit-learn `load_iris`)"

LOG_LOSS = "excess log loss over scikit-learn's `LogisticRegression`"

CASES = {
    "count": Case(VISITS, "rows", count),
    "total": Case(VISITS + ", in [0, 80]", "share of the sum", total),
    "mean": Case(VISITS + ", in [0, 80]", "visits", mean),
    "mean_of_known_size": Case(VISITS + ", in [0, 80]", "visits", mean_of_known_size),
    "variance": Case(VISITS + ", in [0, 80]", "visits, of the standard deviation", variance, 3),
    "histogram": Case(HEALTH, "rows, of the worst category", histogram),
    "cumulative_counts": Case(
        VISITS + ", at 0, 1, ..., 31", "rows, at the worst threshold", cumulative_counts, 3
    ),
    "quantile": Case(VISITS + ", 90%, among 0.5, ..., 39.5", "visits", quantile, 3),
    "quantiles": Case(
        VISITS + ", 10% to 90%, in [0, 128]", "visits, of the worst quantile", quantiles, 3
    ),
    "find_bounds": Case(VISITS, "share of the rows outside", find_bounds, 3),
    "find_limit": Case(
        VISITS + " as rows of a person", "excess over the least error, as a share", find_limit, 3
    ),
    "clipped_mean": Case(VISITS + ", bound chosen below 1024", "visits", clipped_mean, 5),
    "decide": Case(HEALTH, "whether the most frequent answer lost", decide, 5),
    "mwem": Case(
        f"every tenth of {VISITS}, 36 ranges", "share of the rows, of the worst range", mwem, 3
    ),
    "standardise": Case(
        MARRIAGES, "share of the smallest deviation, of the worst number", standardise, 3
    ),
    "covariance": Case(FLOWERS, "share of the leading eigenvalue that is missed", covariance),
    "clusters": Case(FLOWERS + ", 3 centres, 5 rounds", "excess cost, as a share", clusters, 5),
    "linear_regression": Case(
        DIABETES + ", 10 rounds", "excess mean squared error (labels in [-1, 1])",
        linear_regression, 5,
    ),
    "logistic_regression": Case(
        "every sixth of " + MARRIAGES + ", 6 rounds",
        LOG_LOSS, logistic_regression, 3,
    ),
    "minibatch_descent": Case(
        MARRIAGES + ", 100 batches of about 318", LOG_LOSS, minibatch_descent, 3
    ),
    "minibatch_descent_replaced": Case(
        MARRIAGES + ", 100 batches of 200", LOG_LOSS, minibatch_descent_replaced, 3
    ),
    "output_perturbation": Case(
        "every sixth of " + MARRIAGES + ", 15 rounds, decay 0.02",
        LOG_LOSS + " with the same decay", output_perturbation, 3,
    ),
    "ridge_regression": Case(
        DIABETES + ", 15 rounds, decay 0.1", "excess regularised loss", ridge_regression, 5
    ),
    "principal_components": Case(
        FLOWERS, "share of the leading eigenvalue that is missed", principal_components
    ),
    "frank_wolfe": Case(
        DIABETES + ", 8 rounds", "excess mean squared error (labels in [-1, 1])", frank_wolfe, 5
    ),
    "choose_model": Case(
        MARRIAGES + ", 16 one-column rules", "accuracy lost to the best rule", choose_model, 3
    ),
}  # fmt: skip


def measured(name: str) -> list[float]:
    """The median error at every epsilon."""
    case, found = CASES[name], []
    for epsilon in EPSILONS:
        runs = []
        for seed in range(case.repeats):
            with dp.handling(dp.Seeded(seed)):
                runs.append(float(case.run(epsilon)))
        found.append(median(runs))
    return found


def page(name: str, errors: list[float]) -> str:
    """The page of one algorithm: what it does, its guarantee as printed, error, source."""
    function, case = getattr(algorithms, name), CASES[name]
    summary, _, source = (function.__doc__ or "").partition("Source:")
    text = "\n".join(line.strip() for line in summary.strip().splitlines())
    measure = "rho" if "ρ" in repr(function.guarantee) else "epsilon"
    at = " (delta = 1e-6)" if measure == "rho" else ""
    rows = [f"| {e:g} | {error:.3g} |" for e, error in zip(EPSILONS, errors, strict=True)]
    return "\n".join([
        f"# {name}", "", text, "", f"`metricdp.algorithms.{name}`", "",
        "## Guarantee", "", "```text", guarantee(name), "```", "",
        "## Error against the answer without privacy", "",
        f"Data: {case.data}. Error: {case.error}; median of {case.repeats} runs.", "",
        f"| epsilon{at} | error |", "|---|---|", *rows, "",
        "```console", f"$ python examples/algorithms_errors.py {name}", "```", "",
        "## Source", "", " ".join(source.split()), "",
    ])  # fmt: skip


def guarantee(name: str) -> str:
    """The guarantee as `metricdp check` prints it, without the place of the file."""
    head, _, rest = repr(getattr(algorithms, name).guarantee).partition("\n")
    body, _, _ = rest.rpartition("\n")  # without the summary
    return f"{' '.join(head.split()[:2])}\n{body}"


def refresh(path: Path, name: str) -> None:
    """Put the present guarantee into a page; its numbers stay."""
    head, _, rest = path.read_text(encoding="utf-8").partition("```text\n")
    _, _, tail = rest.partition("\n```\n")
    path.write_text(f"{head}```text\n{guarantee(name)}\n```\n{tail}", encoding="utf-8")


def main() -> None:
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")] or list(CASES)
    for name in chosen:
        if "--refresh" in sys.argv:
            refresh(PAGES / f"{name}.md", name)
            continue
        errors = measured(name)
        print(f"{name:22}", *(f"{error:10.3g}" for error in errors), flush=True)
        if "--write" in sys.argv:
            PAGES.mkdir(parents=True, exist_ok=True)
            (PAGES / f"{name}.md").write_text(page(name, errors), encoding="utf-8")


if __name__ == "__main__":
    main()
