"""The loss law of randomized response, which dominates every pure and approximate guarantee."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.loss import Lattice


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
