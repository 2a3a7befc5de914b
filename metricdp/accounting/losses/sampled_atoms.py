"""Loss laws of samples of mechanisms with finitely many losses: finitely many losses again.

An atom of the base at l with masses p under P and p e^-l under Q is, for ((1 - q) Q + q P, Q), one
at ln B, B = 1 - q + q e^l, with masses B p e^-l and p e^-l; where P is 0 it is at ln(1 - q).  The
reversed pair has the same atoms at -ln B with the masses exchanged.  Without replacement the atoms
with l > 0 are those, the ones with l < 0 are those of the reversed base's reversed pair, and the
rest is at 0 (`losses.sampled_cells`).

Discrete Gaussian noise on a Poisson sample, one row removed or added: the noise P(k) ~ e^(-k^2 / (2
s)), s = sigma^2, has the loss (d^2 - 2 k d) / (2 s) at k, for which the sampled ratio is B = 1 - q
+ q e^loss: removed, ln B with the mass (1 - q) Q + q P; added, -ln B with the mass Q (Q the noise
around d).  Both laws have countably many atoms.  Those with k from -K to K + d are kept; of the
others, whose P-mass and Q-mass are each at most
    2 sum over k > K of e^(-k^2 / (2 s)) <= 2 e^(-(K + 1)^2 / (2 s)) / (1 - e^(-(K + 1) / s)),
nothing is used but this bound: they may have any loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.atomic import AtomicLoss
from metricdp.accounting.losses.balls import Ball, ball, ends, flint, precision
from metricdp.accounting.losses.loss import CellMasses, Lattice, Loss
from metricdp.accounting.losses.sampled_cells import (
    MixtureLoss,
    WithoutReplacementLoss,
    checked_rate,
)
from metricdp.errors import UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Bases with more atoms are left to the lattice engine.
MOST_ATOMS = 2000


class SampledAtoms(AtomicLoss):
    """What both kinds of samples share.

    Attributes:
        base: a law of atoms.
        rate: q, in (0, 1).
    """

    base: Any
    rate: Fraction

    @property
    def whole(self) -> Loss:
        """The same law, known by its cells: the second engine's derivation."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """All of the line; the atoms of large bases are not formed, and no moment is known."""
        return super().span if self.size <= MOST_ATOMS else (-1.0, 0.0)

    @property
    def lattice(self) -> Lattice | None:
        """None: logarithms of sums of exponentials are on none."""
        return None

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """See `sampled_cells`."""
        return self.whole.infinite

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """See `sampled_cells`."""
        return self.whole.largest

    def log_moment(self, c: float) -> float:
        """ln M(c), from a picture of the cells for large bases."""
        if self.size <= MOST_ATOMS:
            return super().log_moment(c)
        return self.whole.log_moment(c)

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """M(c + i k step); UncertifiedError for large bases."""
        if self.size > MOST_ATOMS:
            raise UncertifiedError(
                f"a sampled law of {self.size} atoms", remedy="ask the discretised engine"
            )
        return super().on_nodes(c, step, nodes)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Cells of the base with other edges."""
        return self.whole.cells(edges)


class PoissonAtomsLoss(SampledAtoms, msgspec.Struct, frozen=True, dict=True):
    """One row removed or added under Poisson samples of a mechanism of finitely many losses.

    Attributes:
        base: loss of (P, Q), P with the row.
        rate: q, in (0, 1); ParameterError otherwise.
        added: the direction.
    """

    base: Any
    rate: Fraction
    added: bool = False

    def __post_init__(self) -> None:
        checked_rate(self.rate)

    @property
    def whole(self) -> Loss:
        """By cells."""
        removed = MixtureLoss(self.base, self.rate)
        return removed.reversed() if self.added else removed

    @property
    def size(self) -> int:
        """As many as the base has, and one where P is 0."""
        return int(self.base.size) + bool(self.base.reversed().infinite[1])

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Images of the atoms of the base."""
        q, found = ball(self.rate), []
        for loss, p in self.base.atoms():
            found.append((_image(loss, q), p * (-loss).exp()))
        alone = self.base.reversed().infinite
        if alone[1]:
            found.append(((1 - q).log(), ball(alone[0]).union(ball(alone[1]))))
        if self.added:
            return [(-loss, mass) for loss, mass in found]
        return [(loss, mass * loss.exp()) for loss, mass in found]

    def reversed(self) -> PoissonAtomsLoss:
        """The other direction."""
        return PoissonAtomsLoss(self.base, self.rate, not self.added)


class FixedSizeAtomsLoss(SampledAtoms, msgspec.Struct, frozen=True, dict=True):
    """One row replaced, m of n rows without replacement, a mechanism of finitely many losses.

    Attributes:
        base: loss of a pair that dominates under replacement in either order.
        rate: m / n, in (0, 1); ParameterError otherwise.
    """

    base: Any
    rate: Fraction

    def __post_init__(self) -> None:
        checked_rate(self.rate)

    @property
    def whole(self) -> Loss:
        """By cells."""
        return WithoutReplacementLoss(self.base, self.rate)

    @property
    def size(self) -> int:
        """At most one more than those of the base."""
        many = int(self.base.size) + 1
        return many if many > MOST_ATOMS else len(self.doubles)

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """The two halves and what is left at 0: P(L = 0) + (1 - q)(P(L > 0) - Q(L > 0))."""
        q, found = ball(self.rate), []
        leak = self.base.infinite
        spread, rest = ball(leak[0]).union(ball(leak[1])), ball(0)
        for loss, p in self.base.atoms():
            back = p * (-loss).exp()
            if loss > 0:
                spread += p - back
                found.append((_image(loss, q), (1 - q) * back + q * p))
            elif loss < 0:
                found.append((-_image(-loss, q), p))
            elif loss.is_zero():
                rest += p
            else:
                # 0 within rounding: what all three cases have in common.
                spread += (p - back).union(ball(0))
                near = _image(loss, q).union(-_image(-loss, q))
                found.append((near, p.union((1 - q) * back + q * p)))
        rest += (1 - q) * spread
        return [*found, (ball(0), rest)]

    def reversed(self) -> Loss:
        """The same for the reversed base."""
        return FixedSizeAtomsLoss(self.base.reversed(), self.rate)


def _image(loss: Ball, q: Ball) -> Ball:
    """ln(1 - q + q e^loss), with relative accuracy for small losses."""
    return (q * loss.expm1()).log1p()


#: ln of the mass that is left out is below minus this.
_LEFT = 700


class PoissonDiscreteGaussianLoss(PoissonAtomsLoss, frozen=True, dict=True):
    """Discrete Gaussian noise under Poisson samples; see the module.

    Attributes:
        base: the noise, a `DiscreteGaussianLoss`.
    """

    @property
    def size(self) -> int:
        """2 K + d + 1."""
        return 2 * self.reach + int(self.base.movement) + 1

    @property
    def reach(self) -> int:
        """K."""
        return isqrt(int(2 * _LEFT * Fraction(self.base.scale) ** 2)) + 1

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """At most what is left out; 0 where the atoms are not used."""
        if self.size > MOST_ATOMS:
            return Fraction(0), Fraction(0)
        with precision(64):
            s, k = ball(self.base.scale**2), self.reach + 1
            away = 2 * (-k * k / (2 * s)).exp() / -(-k / s).expm1()
            return Fraction(0), ends(away)[1]

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """From the largest loss of a removed row down."""
        module, d, reach = flint(), self.base.movement, self.reach
        q, s = ball(self.rate), ball(self.base.scale**2)
        tau = module.acb(0, 1 / (2 * module.arb.pi() * s))
        whole = module.acb(0).modular_theta(tau)[2].real
        found = []
        for k in range(-reach, reach + d + 1):
            ratio = q * ((d * d - 2 * k * d) / (2 * s)).expm1()
            mass = (-((k - d) ** 2) / (2 * s)).exp() / whole
            loss = ratio.log1p()
            found.append((-loss, mass) if self.added else (loss, mass * (1 + ratio)))
        return found

    def reversed(self) -> PoissonDiscreteGaussianLoss:
        """The other direction."""
        return PoissonDiscreteGaussianLoss(self.base, self.rate, not self.added)
