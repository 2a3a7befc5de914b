"""Loss laws with finitely many atoms: moments are finite sums.

The loss law of a pair of finite laws with rational probabilities.

The loss law of randomized response, which dominates every pure and approximate guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import cos, exp, expm1, hypot, log, log1p, pi, sin
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, flint, power_sums, powers_at, precision
from metricdp.accounting.losses.decay import LARGEST_TILT
from metricdp.accounting.losses.loss import CellMasses, Lattice, PointwiseLoss
from metricdp.errors import ParameterError
from metricdp.noise.kept import ln_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray


class AtomicLoss(PointwiseLoss):
    """What follows from the atoms alone; a subclass gives `atoms`."""

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """(loss, P-mass) of every atom with finite loss, at the current precision."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """The number of atoms."""
        return len(self.doubles)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """Bounds of P(L = +oo)."""
        raise NotImplementedError

    def log_moment(self, c: float) -> float:
        """ln M(c)."""
        if all(abs(c * loss) < 0.5 for loss, _, _ in self.doubles):
            # Small losses: their first orders cancel, and 1 would drown the rest.
            grown = sum(p * expm1(c * loss) for loss, p, _ in self.doubles)
            return log1p(grown - float(self.infinite[0]))
        terms = [c * loss + log(p) for loss, p, _ in self.doubles if p > 0]
        top = max(terms)
        return top + log(sum(exp(term - top) for term in terms))

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """M(c + i k step) = sum of p e^(c l) (e^(i step l))^k."""
        acb, centre, width = flint().acb, ball(c), ball(step)
        atoms = self.atoms()
        weights = [acb(p * (loss * centre).exp()) for loss, p in atoms]
        ratios = [acb(0, loss * width).exp() for loss, _ in atoms]
        if not nodes or 2 * len(nodes) > nodes[-1]:
            line = power_sums(weights, ratios, nodes[-1] + 1 if nodes else 0)
            return [line[k] for k in nodes]
        found = [acb(0)] * len(nodes)
        for weight, ratio in zip(weights, ratios, strict=True):
            turned = powers_at(ratio, nodes)
            found = [x + weight * turn for x, turn in zip(found, turned, strict=True)]
        return found

    def log_moduli(self, c: float, heights: NDArray[Any]) -> NDArray[Any]:
        """|sum of m e^(i y l)| with tilted masses m that sum to 1.

        A phase y l in doubles is off by at most y |l| times 1e-15 and three roundings, which counts
        m times; masses and sums are off by the roundings of c l and a few for each atom.
        """
        import numpy as np

        losses, masses, _ = np.array(self.doubles).T
        with np.errstate(divide="ignore"):
            logs = c * losses + np.log(masses)
        tilted = np.exp(logs - logs.max())
        tilted /= tilted.sum()
        total = np.zeros(len(heights), dtype=complex)
        for loss, mass in zip(losses, tilted, strict=True):
            total += mass * np.exp(1j * (heights * loss))
        doubt = float(np.dot(tilted, np.abs(losses)))
        rounded = (8 + len(losses) + abs(c) * float(np.abs(losses).max())) * 1e-15
        found: NDArray[Any] = np.abs(total) + 2e-15 * heights * doubt + 2 * rounded
        found = np.minimum(np.log(found), 0.0)
        return found

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

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Sums of atoms."""
        import numpy as np

        atoms = np.array(self.doubles).reshape(-1, 3)
        p, q = np.zeros(len(edges) + 1), np.zeros(len(edges) + 1)
        where = np.searchsorted(edges, atoms[:, 0], side="right")
        np.add.at(p, where, atoms[:, 1])
        np.add.at(q, where, atoms[:, 2])
        return CellMasses(p, q, 1e-15 + 2e-16 * len(atoms))


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


class FiniteLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """P and Q on one finite set of outcomes.

    Attributes:
        outcomes: (P, Q) probability of each outcome; each column sums to 1.

    Raises:
        ParameterError: no outcome, a negative probability, or a column that does not sum to 1.
    """

    outcomes: tuple[tuple[Fraction, Fraction], ...]

    def __post_init__(self) -> None:
        if any(p < 0 or q < 0 for p, q in self.outcomes):
            raise ParameterError("a probability is negative", place="outcomes")
        for name, column in zip("PQ", zip(*self.outcomes, strict=True), strict=False):
            if sum(column) != 1:
                raise ParameterError(
                    f"the probabilities of {name} sum to {sum(column)}, not 1",
                    place="outcomes",
                    remedy="write them as fractions that sum to 1 exactly",
                )
        if not self.outcomes:
            raise ParameterError("there is no outcome", place="outcomes")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """The P-mass where Q is 0."""
        leak = sum((p for p, q in self.outcomes if not q), Fraction(0))
        return leak, leak

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """The logarithm of the largest ratio."""
        return ln_bounds(max(self._ratios(), default=Fraction(1)))

    @property
    def lattice(self) -> Lattice | None:
        """Logarithms of rationals are irrational but for ln 1 = 0."""
        return Lattice(Fraction(0), Fraction(1)) if self._ratios().keys() <= {1} else None

    def _ratios(self) -> dict[Fraction, Fraction]:
        """P / Q -> P-mass of the outcomes with that ratio."""
        masses: dict[Fraction, Fraction] = {}
        for p, q in self.outcomes:
            if p and q:
                masses[p / q] = masses.get(p / q, Fraction(0)) + p
        return masses

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Outcomes of one ratio are one atom."""
        return [(ball(ratio).log(), ball(p)) for ratio, p in self._ratios().items()]

    def reversed(self) -> FiniteLoss:
        """Columns exchanged."""
        return FiniteLoss(tuple((q, p) for p, q in self.outcomes))


class ResponseLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """Randomized response over k options with odds e^epsilon, and a leak.

    With s = (1 - leak) / (e^epsilon + k - 1), P puts s e^epsilon on loss epsilon, s on -epsilon,
    (k - 2) s on 0, and leak on +oo.  With k = 2 it dominates every
    (epsilon, leak)-DP mechanism (Kairouz, Oh, Viswanath 2015, Theorem 3.4 and its proof).

    Attributes:
        epsilon: > 0.
        options: k >= 2.
        leak: in [0, 1).

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Fraction
    options: int = 2
    leak: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ParameterError(f"is {self.epsilon}, must be positive", place="epsilon")
        if self.options < 2:
            raise ParameterError(f"is {self.options}, must be at least 2", place="options")
        if not 0 <= self.leak < 1:
            raise ParameterError(f"is {self.leak}, must be in [0, 1)", place="leak")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """The leak."""
        return self.leak, self.leak

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """epsilon, attained."""
        return self.epsilon, self.epsilon

    @property
    def lattice(self) -> Lattice | None:
        """-epsilon, epsilon, and 0 when there are more than two options."""
        if self.options == 2:
            return Lattice(self.epsilon, 2 * self.epsilon)
        return Lattice(Fraction(0), self.epsilon)

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Written with e^-epsilon, so that a large epsilon does not overflow."""
        epsilon, rest = ball(self.epsilon), ball(1 - self.leak)
        low = rest / (epsilon.exp() + (self.options - 1))
        found = [(epsilon, rest / (1 + (self.options - 1) * (-epsilon).exp())), (-epsilon, low)]
        if self.options > 2:
            found.append((ball(0), (self.options - 2) * low))
        return found

    def reversed(self) -> ResponseLoss:
        """Itself: the options are exchangeable, and the leak is made on both sides."""
        return self
