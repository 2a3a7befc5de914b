"""measures: events of mechanisms, their composition, and readings of it.

The accountant (`account` and the events that it takes) loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.lazy import lazily

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
__getattr__, __dir__ = lazily(__name__, _HOMES)

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
