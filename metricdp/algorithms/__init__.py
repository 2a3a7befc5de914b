"""Ordinary checked functions: each is proved like a program of yours, and can be read as one.

Names load on first use; every function is a constructor of releases:

    release = metricdp.algorithms.mean(values, lower=0, upper=20, eps=1.0)
    print(release.cost)

A public parameter comes from anywhere but the data: bounds, categories, thresholds and start values
are what is known before the data are seen.
"""

from __future__ import annotations

from typing import Any

_HOMES = {
    "counts": "count",
    "totals": "total",
    "means": "mean mean_of_known_size",
    "variances": "variance",
    "histograms": "histogram",
    "distributions": "cumulative_counts",
    "quantile_choice": "quantile",
    "hierarchies": "quantiles",
    "bound_finders": "find_bounds find_limit",
    "standardisation": "standardise",
    "linear": "linear_regression",
    "logistic": "logistic_regression",
    "lasso": "frank_wolfe",
    "minibatches": "minibatch_descent minibatch_descent_replaced",
    "output_noise": "output_perturbation ridge_regression",
    "covariances": "covariance",
    "components": "principal_components",
    "clusters": "clusters",
    "decisions": "decide",
    "clipping": "clipped_mean",
    "model_choice": "choose_model",
    "multiplicative_weights": "mwem",
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
