"""Events of additive noise: their parameters are per unit of movement.

One row that is added, removed or zeroed out moves the statistic by at most 1 in the norm named
below.  A replaced row moves it by at most `replaced`: 2 unless the event says otherwise, because
the old contribution leaves and a new one of norm at most 1 enters on the other side of the ball.
Counts, and other statistics whose contributions differ by at most 1, have replaced=1; a histogram
in which the row changes its bin has 2 in L1 and sqrt 2 in L2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting import renyi
from metricdp.errors import ParameterError
from metricdp.measures.accounted import FREE, AccountedEvent, AccountedStep, Case, Pieces, exactly
from metricdp.measures.parameters import positive


class Additive(AccountedEvent, frozen=True):
    """Noise of a scale, the first field; `replaced` is the movement of a replaced row.

    The largest movement is the worst one: every law below is a location family with monotone
    likelihood ratio, so its profile grows with the shift.

    Raises:
        ParameterError: a scale that is not positive, or `replaced` outside (0, 2].
    """

    def __post_init__(self) -> None:
        name, put = self.__struct_fields__[0], msgspec.structs.force_setattr
        put(self, name, positive(getattr(self, name), name, self.place))
        moved = positive(self._of("replaced"), "replaced", self.place)
        if moved > 2:
            raise ParameterError(
                f"replaced is {moved}",
                place=self.place,
                remedy="at most 2: one contribution of norm 1 leaves and one enters",
            )
        put(self, "replaced", moved)

    def _of(self, name: str) -> Any:
        return getattr(self, name)

    def movement(self, case: Case) -> Fraction:
        """By how much the statistic moves at most: `units` rows, each by its own movement."""
        each: Fraction = self._of("replaced") if case.kind == "replace" else Fraction(1)
        return case.units * each

    def scaled(self, movement: Fraction | int) -> Fraction:
        """Movement / scale."""
        scale: Fraction = self._of(self.__struct_fields__[0])
        return movement / scale


class Gaussian(Additive, frozen=True):
    """Gaussian noise; the statistic is a number or a vector that moves in L2.

    Exact: after a rotation the two laws differ along one axis (Dong, Roth, Su 2022, Theorem 2.7).

    Args:
        noise_multiplier: standard deviation per unit of movement, > 0.
        replaced: movement of a replaced row, in (0, 2].
    """

    noise_multiplier: Any
    replaced: Any = 2

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.gaussian import GaussianLoss

        return exactly(GaussianLoss(self.scaled(self.movement(case))))

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(renyi.GaussianCurve(self.scaled(self.movement(case)) ** 2 / 2)),)


class Laplace(Additive, frozen=True):
    """Laplace noise on every entry; the statistic is a number or a vector that moves in L1.

    One entry that carries all of the movement is the worst vector: with movements m and n of two
    entries and M = m + n, the profile of the product at eps in [0, M] is
    1 - e^((eps - M)/2) (1 + (M - eps)/4) where eps >= |m - n|, and
    1 - e^((eps - M)/2) (1 + min(m, n)/2) below, each at most the 1 - e^((eps - M)/2) of one entry;
    all are 0 above M, negative eps follow by symmetry, and further entries by composition.

    Args:
        scale: scale of the noise per unit of movement, > 0.
        replaced: movement of a replaced row, in (0, 2].
    """

    scale: Any
    replaced: Any = 2

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.laplace import LaplaceLoss

        return exactly(LaplaceLoss(self.scaled(self.movement(case))))

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(renyi.LaplaceCurve(self.scaled(self.movement(case)), Fraction(0))),)


class DiscreteLaplace(Additive, frozen=True):
    """Discrete Laplace (two-sided geometric) noise, pmf ~ e^(-|k| / scale), on one whole number.

    Exact for one number.  Source: Ghosh, Roughgarden, Sundararajan (2012).

    Args:
        scale: > 0; a movement of 1 costs epsilon = 1 / scale.
        replaced: movement of a replaced row, 1 or 2.
    """

    scale: Any
    replaced: Any = 2

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss

        moved = int(self.movement(case))
        return exactly(DiscreteLaplaceLoss(self.scale, moved)) if moved else FREE

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (
            AccountedStep(
                renyi.LaplaceCurve(self.scaled(int(self.movement(case))), self.scaled(1))
            ),
        )


class DiscreteGaussian(Additive, frozen=True):
    """Discrete Gaussian noise, pmf ~ e^(-k^2 / (2 noise_multiplier^2)), on one whole number.

    Exact for one number.  Source: Canonne, Kamath, Steinke (2020).

    Args:
        noise_multiplier: square root of the parameter sigma^2 (nearly the standard deviation), > 0.
        replaced: movement of a replaced row, 1 or 2.
    """

    noise_multiplier: Any
    replaced: Any = 2

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss

        moved = int(self.movement(case))
        return exactly(DiscreteGaussianLoss(self.noise_multiplier, moved)) if moved else FREE

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(renyi.LinearCurve(self.scaled(int(self.movement(case))) ** 2 / 2)),)
