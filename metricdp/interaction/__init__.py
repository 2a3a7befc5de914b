"""Composition of measurements, fixed and interactive: budgets, odometers, filters, queryables.

>>> from metricdp.interaction import FullyAdaptive, compose
>>> from metricdp.library import make
>>> from metricdp.spaces import Scalar
>>> noisy = make("laplace", Scalar("Real"), scale=10)
>>> compose([noisy] * 10).map(d_in=1)
Fraction(1, 1)
>>> queries = FullyAdaptive(Scalar("Real"), "pure").filtered(d_in=1, d_out=0.2)(3.0)
>>> answers = [queries(noisy), queries(noisy)]
>>> queries.privacy_loss(d_in=1)
Fraction(1, 5)
"""

from __future__ import annotations

from metricdp.interaction.adaptive import adaptive
from metricdp.interaction.budget import Budget
from metricdp.interaction.composition import compose
from metricdp.interaction.conversions import fix_delta, in_measure, profile_at
from metricdp.interaction.filters import Filter
from metricdp.interaction.fully_adaptive import FullyAdaptive
from metricdp.interaction.odometer import Odometer
from metricdp.interaction.partitions import partitioned
from metricdp.interaction.profiles import PrivacyProfile
from metricdp.interaction.queryable import OdometerQueries, Queries, Queryable
from metricdp.interaction.samples import sampled
from metricdp.interaction.selection import best_of, first_above

__all__ = [
    "Budget",
    "Filter",
    "FullyAdaptive",
    "Odometer",
    "OdometerQueries",
    "PrivacyProfile",
    "Queries",
    "Queryable",
    "adaptive",
    "best_of",
    "compose",
    "first_above",
    "fix_delta",
    "in_measure",
    "partitioned",
    "profile_at",
    "sampled",
]
