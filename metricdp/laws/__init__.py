"""Laws: output distributions in P(Y), exact or as rigorous enclosures, and their distances.

A law answers in pairs (low, high) of rationals that enclose the true value; equal ends are exact.
Distances between laws and the topologies they make are in `metricdp.laws.distances`.
"""

from __future__ import annotations

from metricdp.laws.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.laws.divergence import (
    hockey_stick,
    log_of_ratio,
    max_divergence,
    renyi,
    total_variation,
    zcdp_rho,
)
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.event import best_event
from metricdp.laws.exponential import ExponentialLaw, GeometricLaw
from metricdp.laws.finite import EnclosedLaw, FiniteLaw, RandomizedResponseLaw
from metricdp.laws.grid import GridLaw, rounded
from metricdp.laws.kernel import Kernel, law_of
from metricdp.laws.law import Law
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.laws.mixture import ProductLaw, mixture
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw, WeightedPiecesLaw
from metricdp.laws.pushed import binned, clamp, push, threshold
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw
from metricdp.laws.selection import (
    above_threshold_law,
    exponential_law,
    noisy_max_law,
    permute_and_flip_law,
)
from metricdp.laws.thresholded import ThresholdedLaw, ThresholdedNumbersLaw
from metricdp.laws.tulap import RoundedTulapLaw

__all__ = [
    "CauchyLaw",
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "EmpiricalLaw",
    "EnclosedLaw",
    "ExponentialLaw",
    "FiniteLaw",
    "GaussianLaw",
    "GeometricLaw",
    "GridLaw",
    "Kernel",
    "LaplaceLaw",
    "Law",
    "PiecewiseLaw",
    "ProductLaw",
    "RandomizedResponseLaw",
    "RoundedGaussianLaw",
    "RoundedLaplaceLaw",
    "RoundedTulapLaw",
    "ThresholdedLaw",
    "ThresholdedNumbersLaw",
    "UniformLaw",
    "WeightedPiecesLaw",
    "above_threshold_law",
    "best_event",
    "binned",
    "clamp",
    "exponential_law",
    "hockey_stick",
    "law_of",
    "log_of_ratio",
    "max_divergence",
    "mixture",
    "noisy_max_law",
    "permute_and_flip_law",
    "push",
    "renyi",
    "rounded",
    "threshold",
    "total_variation",
    "zcdp_rho",
]
