"""Soft cuts of sampled Gaussian noise, for queries that high moments would spoil.

The loss of a removed row grows with x without bound, and for small rates its high moments are those
of values that occur with probability e^-50: far beyond any delta, but they keep the contour away
from the saddle point of the part that matters.  Cutting there costs the mass that is cut.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, log, sqrt

import msgspec

from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.measures.losses.saddle import Parts

#: Shares of the wanted width: ln of the cut mass is this much below it.
_ROOM = 5.0
_FARTHEST = 60.0


def cut_parts(parts: Parts, log_width: float) -> tuple[Parts, Fraction]:
    """The parts with removed sampled Gaussians cut, and a bound of the mass that is cut in all.

    The mass is 0 if nothing was cut, else at most about e^log_width / 100: a union bound over all
    rounds.
    """
    total, found = Fraction(0), []
    rounds = sum(count for _, count in parts)
    for loss, count in parts:
        if isinstance(loss, PoissonGaussianLoss) and not loss.added:
            place = _place(float(loss.ratio), log_width - _ROOM - log(rounds))
            loss = msgspec.structs.replace(loss, cut=place)
            total += count * loss.infinite[1]
        found.append((loss, count))
    return tuple(found), min(total, Fraction(1))


def _place(u: float, log_mass: float) -> float:
    """Where to cut so that at most e^log_mass is beyond, about."""
    place = u + 1.0
    while place < _FARTHEST:
        tail = erfc((place - u) / sqrt(2.5)) / 2
        if not tail or log(tail) < log_mass:
            break
        place += 0.25
    return place
