"""Loss laws with finitely many atoms: moments are finite sums."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import cos, exp, expm1, hypot, inf, log, log1p, pi, sin
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.balls import Ball, ball, flint, precision
from metricdp.measures.losses.decay import LARGEST_TILT
from metricdp.measures.losses.lines import power_sums
from metricdp.measures.losses.loss import Cells, Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray


class AtomicLoss:
    """What follows from the atoms alone; a subclass gives `atoms`."""

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """(loss, P-mass) of every atom with finite loss, at the current precision."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """The number of atoms."""
        return len(self.doubles)

    @property
    def span(self) -> tuple[float, float]:
        """All of the line."""
        return -inf, inf

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """Bounds of P(L = +oo)."""
        raise NotImplementedError

    @property
    def lattice(self) -> Lattice | None:
        """None: none that is known."""
        return None

    def log_moment(self, c: float) -> float:
        """ln M(c)."""
        if all(abs(c * loss) < 0.5 for loss, _, _ in self.doubles):
            # Small losses: their first orders cancel, and 1 would drown the rest.
            grown = sum(p * expm1(c * loss) for loss, p, _ in self.doubles)
            return log1p(grown - float(self.infinite[0]))
        terms = [c * loss + log(p) for loss, p, _ in self.doubles if p > 0]
        top = max(terms)
        return top + log(sum(exp(term - top) for term in terms))

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """M(c + i k step) = sum of p e^(c l) (e^(i step l))^k."""
        acb, centre, width = flint().acb, ball(c), ball(step)
        atoms = self.atoms()
        weights = [acb(p * (loss * centre).exp()) for loss, p in atoms]
        ratios = [acb(0, loss * width).exp() for loss, _ in atoms]
        return power_sums(weights, ratios, count)

    def log_decay(self, c: float, t: float) -> float:
        """0: the modulus of finitely many atoms comes back to (nearly) its largest value."""
        return 0.0

    def log_decay_in_period(self, c: float, t: float) -> float:
        """Neighbours on the lattice turn against each other.

        For atoms of tilted masses p, q one step apart, |p + q e^(iy step)| falls on [0, pi / step],
        so that p + q minus its value is lost; disjoint pairs of neighbours are taken.
        """
        most = max(abs(loss) for loss, _, _ in self.doubles) if self.lattice is not None else 0.0
        if self.lattice is None or not t > 0 or abs(c) * most > LARGEST_TILT:
            return 0.0
        step, total = float(self.lattice.step), self.log_moment(c)
        angle = min(t * step, pi) / 2
        masses: dict[int, float] = {}
        for loss, p, _ in self.doubles:
            place = round((loss - float(self.lattice.offset)) / step)
            masses[place] = masses.get(place, 0.0) + p * exp(min(c * loss - total, 0.0))
        lost = max(lost_of_pairs(masses, start, angle) for start in (0, 1))
        return log1p(-min(lost * (1 - 1e-9), 1 - 1e-9))

    @cached_property
    def doubles(self) -> list[tuple[float, float, float]]:
        """(loss, P-mass, Q-mass) of the atoms, correctly rounded but for one unit in the last."""
        with precision(96):
            return [
                (float(loss.mid()), float(p.mid()), float((p * (-loss).exp()).mid()))
                for loss, p in self.atoms()
            ]

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Sums of atoms."""
        import numpy as np

        atoms = np.array(self.doubles).reshape(-1, 3)
        p, q = np.zeros(len(edges) + 1), np.zeros(len(edges) + 1)
        where = np.searchsorted(edges, atoms[:, 0], side="right")
        np.add.at(p, where, atoms[:, 1])
        np.add.at(q, where, atoms[:, 2])
        return Cells(p, q, 1e-15 + 2e-16 * len(atoms))


def lost_of_pairs(masses: dict[int, float], start: int, angle: float) -> float:
    """Sum over pairs (k, k + 1), k of the parity `start`, of p + q - |p + q e^(2 i angle)|."""
    lost = 0.0
    for k, p in masses.items():
        q = masses.get(k + 1, 0.0)
        if (k - start) % 2 == 0 and p and q:
            lost += turned(p, q, angle)
    return lost


def turned(p: float, q: float, angle: float) -> float:
    """p + q - |p e^(i angle) + q e^(-i angle)|, as a quotient of a difference of squares."""
    modulus = hypot((p + q) * cos(angle), (p - q) * sin(angle))
    return 4 * p * q * sin(angle) ** 2 / (p + q + modulus)
