"""Mixtures whose component is public, and samples drawn with replacement.

m draws from n rows, one row replaced: the row is drawn k times with probability C(m, k) n^-k
(1 - 1/n)^(m - k), and at least once with probability g = 1 - (1 - 1/n)^m.  With delta_k the profile
of the base when k rows of its sample are replaced,
    delta'(ln(1 + g (e^eps - 1))) <= sum over k >= 1 of C(m, k) n^-k (1 - 1/n)^(m - k) delta_k(eps)
for eps >= 0 (Balle, Barthe, Gaboardi 2018, Theorem 10).  The right side is g times the profile of
the mixture of the base's pairs in which k, given k >= 1, is published; so the law of a sample
without replacement at rate g over that mixture is a bound (`sampled_cells`, where the values
eps < 0 follow from those above 0).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, exp, log
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball
from metricdp.accounting.losses.loss import CellMasses, Lattice, Loss
from metricdp.accounting.losses.sampled_cells import WithoutReplacementLoss
from metricdp.accounting.rounded import short_down
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


Bounds = tuple[Fraction, Fraction]
#: Numbers of copies whose probability is below this are not told apart.
RAREST = Fraction(1, 10**60)
#: Significant bits of the probabilities of the others.
_BITS = 256


class PublicMixture(msgspec.Struct, frozen=True):
    """One of several pairs, chosen with public probabilities and told: P and Q are mixtures.

    The loss is that of the chosen pair, so its law is the mixture of their laws.

    Attributes:
        parts: (probability, loss); probabilities are positive.
        leak: probability that everything is told, so that L = +oo; with those of the parts it is 1
            (ParameterError otherwise).
    """

    parts: tuple[tuple[Fraction, Loss], ...]
    leak: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not all(weight > 0 for weight, _ in self.parts):
            raise ParameterError("a probability is not positive", place="parts")
        if not self.leak >= 0 or sum(weight for weight, _ in self.parts) + self.leak != 1:
            raise ParameterError("the probabilities do not sum to 1", place="parts")

    @property
    def span(self) -> tuple[float, float]:
        """Where all moments are finite."""
        spans = [loss.span for _, loss in self.parts]
        return max(low for low, _ in spans), min(high for _, high in spans)

    @property
    def infinite(self) -> Bounds:
        """The mean."""
        low = sum((w * loss.infinite[0] for w, loss in self.parts), self.leak)
        return low, sum((w * loss.infinite[1] for w, loss in self.parts), self.leak)

    @property
    def largest(self) -> Bounds | None:
        """The largest of the parts."""
        tops = [loss.largest for _, loss in self.parts]
        known = [top for top in tops if top is not None]
        if len(known) < len(tops):
            return None
        return max(low for low, _ in known), max(high for _, high in known)

    @property
    def lattice(self) -> Lattice | None:
        """The common lattice, if all parts have the same one."""
        found = {loss.lattice for _, loss in self.parts}
        return found.pop() if len(found) == 1 else None

    def log_moment(self, c: float) -> float:
        """ln of the mean of M(c)."""
        terms = [log(w) + loss.log_moment(c) for w, loss in self.parts]
        top = max(terms)
        return top + log(sum(exp(term - top) for term in terms))

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """Means of the parts' moments."""
        lines = [(ball(w), loss.on_line(c, step, count)) for w, loss in self.parts]
        return [sum((w * line[k] for w, line in lines), ball(0)) for k in range(count)]

    def log_decay(self, c: float, t: float) -> float:
        """The slowest of the parts: a mean of moduli is at most the largest."""
        return max(loss.log_decay(c, t) for _, loss in self.parts)

    def log_decay_in_period(self, c: float, t: float) -> float:
        """0: no lattice."""
        return 0.0

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Means of masses."""
        import numpy as np

        p, q, error = (np.zeros(len(edges) + 1) for _ in range(3))
        for w, loss in self.parts:
            found = loss.cells(edges)
            p += float(w) * found.p
            q += float(w) * found.q
            error = np.maximum(error, found.error)
        return CellMasses(p, q, error + 1e-15 * (2 + len(self.parts)))

    def reversed(self) -> Loss:
        """The mixture of the reversed pairs."""
        return PublicMixture(tuple((w, loss.reversed()) for w, loss in self.parts), self.leak)


def with_replacement_loss(group: Callable[[int], Loss], draws: int, rows: int) -> Loss:
    """The loss law of a base on `draws` uniform draws from `rows` rows, one row replaced; a bound.

    Args:
        group: k -> loss of a pair that dominates the base when k >= 1 rows of its sample are
            replaced, in either order.
        draws: m >= 1.
        rows: n >= 1.

    Numbers of copies that are rarer together than `RAREST` are charged as open failures.

    Raises:
        ParameterError: draws or rows below 1.
    """
    for name, value in (("draws", draws), ("rows", rows)):
        if value < 1:
            raise ParameterError(f"is {value}, must be at least 1", place=name)
    hit = Fraction(1, rows)
    some = 1 - (1 - hit) ** draws
    kept: list[tuple[Fraction, Loss]] = []
    rest = Fraction(1)
    for k in range(1, draws + 1):
        weight = short_down(comb(draws, k) * hit**k * (1 - hit) ** (draws - k) / some, _BITS)
        if weight:
            kept.append((weight, group(k)))
            rest -= weight
        if rest <= RAREST:
            break
    mixture = kept[0][1] if rest == 0 and len(kept) == 1 else PublicMixture(tuple(kept), rest)
    return mixture if some == 1 else WithoutReplacementLoss(mixture, some)
