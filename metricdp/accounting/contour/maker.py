"""Which sum answers for a composition, and at which precision.

Soft cuts of sampled Gaussian noise, for queries that high moments would spoil.

The loss of a removed row grows with x without bound, and for small rates its high moments are those
of values that occur with probability e^-50: far beyond any delta, but they keep the contour away
from the saddle point of the part that matters.  Cutting there costs the mass that is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil, erfc, log, sqrt
from typing import Protocol

import msgspec

from metricdp.accounting.contour import finite_sums as expansion
from metricdp.accounting.contour.closed import (
    NormalProfile,
    SinglePoisson,
    SingleSampled,
    only_density,
    only_normal,
    only_one,
)
from metricdp.accounting.contour.plan import ContourPlan, plan
from metricdp.accounting.contour.saddle import Saddle, saddle_for_epsilon
from metricdp.accounting.contour.sums import ContourSum, LatticeSum, common_lattice
from metricdp.accounting.losses.balls import Ball, ball, ends
from metricdp.accounting.losses.loss import Bounds, ComposedLosses, Counted
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.errors import UncertifiedError

#: Exact sums of at most this cost are cheaper than any contour; up to the second they are feasible.
_CHEAP, _FEASIBLE = 400, 20_000
#: More nodes than this are worth the try whether cut laws need fewer.
_MANY = 100
#: Values of delta below 2 to minus this are not told from 0.
_TINY = 20_000


class Sum(Protocol):
    """Something that encloses the finite part of delta, made and used at one precision."""

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above it."""
        ...


class Maker:
    """The choice for one composition near one saddle.

    Args:
        e: where delta will be asked for, about.
        log_width: ln of the wanted width of delta.
        attempt: 0, 1, ...: later ones take more precision, and an exact sum where one is feasible.

    Raises:
        UncertifiedError: sampled Gaussian noise that would take too many nodes.

    Attributes:
        engine, bits, nodes: what is reported (see `Bracket`).
        final: further attempts would not narrow the answer.
    """

    def __init__(
        self, whole: ComposedLosses, saddle: Saddle, e: float, log_width: float, attempt: int
    ) -> None:
        self.whole, parts = whole, whole.parts
        self.parts: Counted = parts
        #: What the cut of sampled Gaussians takes away, at most.
        self.leak = Fraction(0)
        # Values below 2^-_TINY are not told apart (`bounds`): no precision is spent on them.
        log_width = max(log_width, -(_TINY + 128) * log(2))
        self.lattice, self.plan, self.final = None, None, False
        self.closed, self.nodes = closed_form(parts), 0
        cost = None if self.closed is not None else expansion.cost(parts)
        self.exact = cost is not None and cost <= (_FEASIBLE if attempt > 1 else _CHEAP)
        if self.closed is None and not self.exact:
            self.lattice = common_lattice(parts)
            self.plan = plan(parts, saddle, e, log_width, self.lattice)
            if self.lattice is not None and self.plan.exhausted:
                other = plan(parts, saddle, e, log_width)
                if not other.exhausted:
                    self.plan, self.lattice = other, None
            if self.plan.exhausted or self.plan.last > _MANY:
                self._cut(self.plan, e, log_width)
            self.exact = self.plan.exhausted and cost is not None and cost <= _FEASIBLE
            self.final = self.plan.exhausted and not self.exact
        if self.plan is not None and not self.exact:
            self.engine, bits, self.nodes = "contour", self.plan.bits, self.plan.last + 1
        else:
            self.engine = "closed form" if self.closed is not None else "exact sum"
            bits = 64 + (0 if self.closed is not None else expansion.extra_bits(parts))
            bits -= ceil(log_width / log(2))
        self.bits = max(bits, 64) + 64 * attempt

    def _cut(self, drawn: ContourPlan, e: float, log_width: float) -> None:
        """Cut sampled Gaussians where that needs fewer nodes.

        Raises:
            UncertifiedError: there are some, and too many nodes are needed all the same.
        """
        if not any(isinstance(loss, PoissonGaussianLoss) for loss, _ in self.whole.parts):
            return
        parts, leak = cut_parts(self.whole.parts, log_width)
        if leak:
            other = plan(parts, saddle_for_epsilon(parts, e), e, log_width)
            if not other.exhausted and (drawn.exhausted or other.last < drawn.last):
                self.plan, self.lattice, self.parts, self.leak = other, None, parts, leak
                return
        if drawn.exhausted:
            raise UncertifiedError(
                "the moments of sampled Gaussian noise fall too slowly for the contour",
                remedy="ask the discretised engine",
            )

    def make(self) -> Sum:
        """Inside `precision(self.bits)`."""
        parts = self.parts
        if self.closed is not None:
            return self.closed()
        if self.exact or self.plan is None:
            return expansion.exact_sum(parts)
        if self.lattice is not None:
            return LatticeSum(parts, self.plan, self.lattice)
        return ContourSum(parts, self.plan, self.leak)


def closed_form(parts: Counted) -> Callable[[], Sum] | None:
    """What makes the closed form of the composition's profile, where one is known."""
    squared, single, sampled = only_normal(parts), only_one(parts), only_density(parts)
    if squared is not None:
        return partial(NormalProfile, squared)
    if sampled is not None:
        return partial(SingleSampled, sampled)
    return None if single is None else partial(SinglePoisson, single)


def bounds(total: Sum, e: Fraction) -> Bounds:
    """The bracket of the finite part of delta(e), within [0, 1]."""
    below, above = total.enclose(e)
    # Ends outside (2^-_TINY, 1) are replaced outwards before they become rationals.
    tiny = ball(2) ** -_TINY
    low = ends(below)[0] if below.is_finite() and below > tiny else Fraction(0)
    if not (above.is_finite() and above < 1):
        return low, Fraction(1)
    return low, ends(above)[1] if not above < tiny else Fraction(1, 2**_TINY)


#: Shares of the wanted width: ln of the cut mass is this much below it.
_ROOM = 5.0
_FARTHEST = 60.0


def cut_parts(parts: Counted, log_width: float) -> tuple[Counted, Fraction]:
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
