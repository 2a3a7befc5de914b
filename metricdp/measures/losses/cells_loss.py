"""Loss laws that are known by the masses of their cells alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import Ball
from metricdp.measures.losses.loss import Cells, Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CellsLoss:
    """What follows from cells: such a law has no contour, only the lattice engine takes it."""

    def cells(self, edges: NDArray[Any]) -> Cells:
        """See `Loss`."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """Where every M is finite."""
        return -1.0, 0.0

    @property
    def lattice(self) -> Lattice | None:
        """None: not known to be one."""
        return None

    def log_moment(self, c: float) -> float:
        """ln M(c) from a picture of the law."""
        from metricdp.measures.losses.discretised_sketch import Cumulant

        picture = _picture(self)
        return Cumulant([(picture, 1)]).of(picture, c)[0]

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """UncertifiedError, always."""
        raise UncertifiedError(
            "the moments of this law are not enclosed",
            place=type(self).__name__,
            remedy="ask the discretised engine",
        )

    def log_decay(self, c: float, t: float) -> float:
        """0: nothing is known."""
        return 0.0

    def log_decay_in_period(self, c: float, t: float) -> float:
        """0: no lattice."""
        return 0.0


@lru_cache(maxsize=64)
def _picture(loss: Any) -> Any:
    from metricdp.measures.losses.discretised_sketch import sketch

    return sketch(loss)
