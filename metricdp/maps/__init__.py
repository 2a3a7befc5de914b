"""Concrete maps between spaces: built from rules, chained with `>>`, composed, and asked questions.

>>> from metricdp.maps import FullyAdaptive, compose, make
>>> from metricdp.spaces import Records
>>> clamped = make("clamp", Records[float], lower=0, upper=20)
>>> total = clamped >> make("sum", clamped.output_space)
>>> str(total.stability), total([1.0, 2.5, 30.0])
('20*d_in', 23.5)
>>> noisy = total >> make("laplace", total.output_space, scale=40)
>>> noisy.map(d_in=1), compose([noisy] * 10).map(d_in=1)
(Fraction(1, 2), Fraction(5, 1))
>>> start = FullyAdaptive(Records[float], "pure").filtered(d_in=1, d_out=1.2)
>>> queries = start([1.0, 2.5])
>>> answers = [queries(noisy), queries(noisy)]
>>> queries.privacy_loss(d_in=1)
Fraction(1, 1)

A map made by hand is labelled "asserted": nothing was proved about it, and `metricdp audit` can
attack it.  Maps that come from a checked function or from a rule carry the label "proved".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.lazy import lazily

if TYPE_CHECKING:
    from metricdp.maps.composition import compose
    from metricdp.maps.constructors import apply, make
    from metricdp.maps.conversions import fix_delta, in_measure, profile_at
    from metricdp.maps.distances import DistanceMap
    from metricdp.maps.interactive import FullyAdaptive, adaptive
    from metricdp.maps.measurement import Measurement
    from metricdp.maps.odometers import Allowance, Filter, Odometer
    from metricdp.maps.partitions import partitioned
    from metricdp.maps.profiles import PrivacyProfile
    from metricdp.maps.queries import OdometerQueries, Queries, Queryable
    from metricdp.maps.samples import sampled
    from metricdp.maps.selection import best_of, first_above
    from metricdp.maps.steps import Explanation, MapStep, Reliance
    from metricdp.maps.transformation import Transformation

#: A checked function is a map, too: what only composition needs is loaded when it is asked for.
_HOMES = {
    "composition": "compose",
    "constructors": "apply make",
    "conversions": "fix_delta in_measure profile_at",
    "distances": "DistanceMap",
    "interactive": "FullyAdaptive adaptive",
    "measurement": "Measurement",
    "odometers": "Filter Allowance Odometer",
    "partitions": "partitioned",
    "profiles": "PrivacyProfile",
    "queries": "OdometerQueries Queries Queryable",
    "samples": "sampled",
    "selection": "best_of first_above",
    "steps": "Explanation MapStep Reliance",
    "transformation": "Transformation",
}
__getattr__, __dir__ = lazily(__name__, _HOMES)

__all__ = [
    "Allowance",
    "DistanceMap",
    "Explanation",
    "Filter",
    "FullyAdaptive",
    "MapStep",
    "Measurement",
    "Odometer",
    "OdometerQueries",
    "PrivacyProfile",
    "Queries",
    "Queryable",
    "Reliance",
    "Transformation",
    "adaptive",
    "apply",
    "best_of",
    "compose",
    "first_above",
    "fix_delta",
    "in_measure",
    "make",
    "partitioned",
    "profile_at",
    "sampled",
]
