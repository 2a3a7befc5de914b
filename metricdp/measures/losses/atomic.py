"""Loss laws with finitely many atoms: moments are finite sums."""

from __future__ import annotations

from functools import cached_property
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.balls import Ball, ball, flint, precision
from metricdp.measures.losses.lines import power_sums
from metricdp.measures.losses.loss import Cells

if TYPE_CHECKING:
    from numpy.typing import NDArray


class AtomicLoss:
    """What follows from the atoms alone; a subclass gives `atoms`."""

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """(loss, P-mass) of every atom with finite loss, at the current precision."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """All of the line."""
        return -inf, inf

    def log_moment(self, c: float) -> float:
        """ln M(c)."""
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
