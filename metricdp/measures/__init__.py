"""measures: events of mechanisms, their composition, and readings of it.

The accountant (`account` and the events that it takes) loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metricdp.measures.additive import (
        DiscreteGaussian,
        DiscreteLaplace,
        Gaussian,
        Laplace,
    )
    from metricdp.measures.answer import Answer
    from metricdp.measures.calibration import Calibration, Rounds, calibrate, max_rounds
    from metricdp.measures.combined import Composed, Group, Repeated, Selection
    from metricdp.measures.curves import ZCDP, Renyi
    from metricdp.measures.finite import Finite
    from metricdp.measures.guarantee import Guarantee, account
    from metricdp.measures.private import (
        Approximate,
        ExponentialMechanism,
        NoisyMax,
        PermuteAndFlip,
        Pure,
        RandomizedResponse,
        SparseVector,
    )
    from metricdp.measures.sampled import (
        Poisson,
        TruncatedPoisson,
        WithoutReplacement,
        WithReplacement,
    )

_HOMES = {
    "additive": "Gaussian Laplace DiscreteGaussian DiscreteLaplace",
    "answer": "Answer",
    "calibration": "Calibration Rounds calibrate max_rounds",
    "combined": "Composed Group Repeated Selection",
    "curves": "Renyi ZCDP",
    "finite": "Finite",
    "guarantee": "Guarantee account",
    "private": (
        "Approximate ExponentialMechanism NoisyMax PermuteAndFlip Pure RandomizedResponse"
        " SparseVector"
    ),
    "sampled": "Poisson TruncatedPoisson WithReplacement WithoutReplacement",
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'metricdp.measures' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"metricdp.measures.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})


__all__ = [
    "ZCDP",
    "Answer",
    "Approximate",
    "Calibration",
    "Composed",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Finite",
    "Gaussian",
    "Group",
    "Guarantee",
    "Laplace",
    "NoisyMax",
    "PermuteAndFlip",
    "Poisson",
    "Pure",
    "RandomizedResponse",
    "Renyi",
    "Repeated",
    "Rounds",
    "Selection",
    "SparseVector",
    "TruncatedPoisson",
    "WithReplacement",
    "WithoutReplacement",
    "account",
    "calibrate",
    "max_rounds",
]
