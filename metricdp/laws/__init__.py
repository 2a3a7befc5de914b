"""Exact output laws and the distances between them, as rigorous enclosures."""

from __future__ import annotations

from metricdp.laws.discrete_gaussian import DiscreteGaussianLaw
from metricdp.laws.discrete_laplace import DiscreteLaplaceLaw
from metricdp.laws.divergence import (
    hockey_stick,
    log_of_ratio,
    max_divergence,
    renyi,
    total_variation,
    zcdp_rho,
)
from metricdp.laws.event import best_event
from metricdp.laws.finite import FiniteLaw, RandomizedResponseLaw
from metricdp.laws.law import Law
from metricdp.laws.product import ProductLaw
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw

__all__ = [
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "FiniteLaw",
    "Law",
    "ProductLaw",
    "RandomizedResponseLaw",
    "RoundedGaussianLaw",
    "RoundedLaplaceLaw",
    "best_event",
    "hockey_stick",
    "log_of_ratio",
    "max_divergence",
    "renyi",
    "total_variation",
    "zcdp_rho",
]
