"""Loss laws whose moments cost little each: at single nodes, and bounded there by doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.balls import Ball
from metricdp.measures.losses.plain import PlainLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PointwiseLoss(PlainLoss):
    """A closed form of the moment function, node by node; see `Loss`."""

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """Enclosures (acb) of M(c + i k step) for each k in `nodes`."""
        raise NotImplementedError

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) for k = 0, ..., count - 1."""
        return self.on_nodes(c, step, range(count))

    def log_moduli(self, c: float, heights: NDArray[Any]) -> NDArray[Any]:
        """Upper bounds, <= 0, of ln of |M(c + iy)| / M(c); c > 0.

        Args:
            heights: doubles, >= 0, each within 1e-15 y of the y that is meant, shape (n,).
        """
        raise NotImplementedError
