"""Which sum answers for a composition, and at which precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil, log
from typing import Protocol

from metricdp.errors import UncertifiedError
from metricdp.measures.losses import expansion
from metricdp.measures.losses.balls import Ball, ball, ends
from metricdp.measures.losses.composed import Bounds, Composed
from metricdp.measures.losses.contour_lattice import LatticeSum, common_lattice
from metricdp.measures.losses.contour_normal import NormalProfile, only_normal
from metricdp.measures.losses.contour_plan import Plan, plan
from metricdp.measures.losses.contour_sum import ContourSum
from metricdp.measures.losses.poisson_cut import cut_parts
from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.measures.losses.saddle import Parts, Saddle, saddle_for_epsilon
from metricdp.measures.losses.single_poisson import SinglePoisson, only_one
from metricdp.measures.losses.single_sampled import SingleSampled, only_density

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
        self, whole: Composed, saddle: Saddle, e: float, log_width: float, attempt: int
    ) -> None:
        self.whole, parts = whole, whole.parts
        self.parts: Parts = parts
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

    def _cut(self, drawn: Plan, e: float, log_width: float) -> None:
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


def closed_form(parts: Parts) -> Callable[[], Sum] | None:
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
