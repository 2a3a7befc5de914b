"""Two mixtures of one noise on a line: P moves to the right, Q to the left.

What their loss laws share, whatever the noise: L = ln dP/dQ increases with x, and the pair (Q, P)
is, mirrored, that of the two mixtures exchanged.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.mixture_logs import Columns, Mixture, columns
from metricdp.measures.losses.monotone_cells import Places

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MixturePair(msgspec.Struct, frozen=True, dict=True):
    """P with shifts s_i >= 0 and Q with shifts -t_j <= 0.

    Attributes:
        first: (a_i, s_i), weights > 0 that sum to 1 and shifts >= 0 in units of the noise.
        second: (c_j, t_j), likewise.

    Raises:
        ParameterError: weights or shifts outside their range, or no shift above 0.
    """

    first: Mixture
    second: Mixture

    def __post_init__(self) -> None:
        checked_mixtures(self.first, self.second)

    def reversed(self) -> Self:
        """The mixtures exchanged, mirrored."""
        return type(self)(self.second, self.first)

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """ln of the mixture over noise at 0, its slope, and the size of what is rounded, at x."""
        raise NotImplementedError

    def along(self, x: NDArray[Any]) -> Places:
        """L at x (Q is a mixture to the right at -x)."""
        one, slope_one, size_one = self.logs(self.doubles[0], x)
        two, slope_two, size_two = self.logs(self.doubles[1], -x)
        return Places(one - two, slope_one + slope_two, size_one + size_two)

    @cached_property
    def doubles(self) -> tuple[Columns, Columns]:
        """Both mixtures in doubles."""
        return columns(self.first), columns(self.second)


def checked_mixtures(first: Mixture, second: Mixture) -> None:
    """ParameterError unless both are mixtures of shifts >= 0, some above 0."""
    for name, mixture in (("first", first), ("second", second)):
        if any(w <= 0 or s < 0 for w, s in mixture) or sum(w for w, _ in mixture) != 1:
            raise ParameterError("is no mixture of shifts >= 0", place=name)
    if not max(s for _, s in (*first, *second)):
        raise ParameterError("nothing moves", place="first")
