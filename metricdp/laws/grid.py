"""Laws on a public grid: what is released when a real number is rounded after the noise.

A `GridLaw` has outcomes k * step; the law of k is one on the integers.  Rounding is post-processing
of the `ideal` law, where that is known.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ZERO, log, over
from metricdp.laws.law import Law
from metricdp.laws.location import GaussianLaw, LaplaceLaw
from metricdp.laws.numbers import last_whole, positive, real, settle, told
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw
from metricdp.noise.enclose import Bounds

_HALF = Fraction(1, 2)


class CellsLaw(msgspec.Struct, frozen=True):
    """The law of floor(X / step + shift), X on the line; shift 1/2: of the nearest multiple."""

    law: Any
    step: Fraction
    shift: Fraction = _HALF

    def __post_init__(self) -> None:
        settle(self, step=positive(self.step, "step"))

    def support(self) -> None:
        """None: all integers."""
        return

    def _start(self, k: int) -> Fraction:
        """Where the cell of k begins."""
        return (k - self.shift) * self.step

    def pmf(self, outcome: Any) -> Bounds:
        """P(K = outcome); 0 for what is no integer."""
        if last_whole(outcome) != outcome:
            return ZERO
        found: Bounds = self.law.cell(self._start(outcome), self._start(outcome + 1))
        return found

    def tail(self, k: Any) -> Bounds:
        """P(K >= k)."""
        found: Bounds = self.law.tail(self._start(ceil(real(k, "k"))))
        return found

    def cdf(self, k: Any) -> Bounds:
        """P(K <= k)."""
        low, high = self.tail(floor(real(k, "k")) + 1)
        return 1 - high, 1 - low

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= K <= last)."""
        a, b = ceil(real(first, "first")), floor(real(last, "last"))
        if b < a:
            return ZERO
        found: Bounds = self.law.cell(self._start(a), self._start(b + 1))
        return found

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))


class GridLaw(msgspec.Struct, frozen=True):
    """The law of step * K, K with a law on the integers.

    Distances between two grid laws of one step are those between their laws on the integers.

    Raises:
        ParameterError: a step that is not positive.
    """

    law: Any
    step: Fraction

    def __post_init__(self) -> None:
        settle(self, step=positive(self.step, "step"))

    @property
    def ideal(self) -> Any:
        """The continuous law of which this one is the rounding.

        Raises:
            ParameterError: a law that was not made by rounding one.
        """
        law = self.law
        if isinstance(law, RoundedLaplaceLaw):
            return LaplaceLaw(law.center * self.step, law.scale * self.step)
        if isinstance(law, RoundedGaussianLaw):
            return GaussianLaw(law.center * self.step, law.scale * self.step)
        if isinstance(law, CellsLaw):
            return law.law
        raise ParameterError(f"{type(law).__name__} has no continuous law behind it", place="ideal")

    def support(self) -> None:
        """None: no finite set."""
        return

    def _places(self, x: Any) -> Fraction:
        return real(x, "x") / self.step

    def pmf(self, x: Any) -> Bounds:
        """P(X = x); 0 for what is no multiple of the step."""
        k = self._places(x)
        found: Bounds = self.law.pmf(k.numerator) if k.denominator == 1 else ZERO
        return found

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        found: Bounds = self.law.tail(ceil(self._places(x)))
        return found

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        found: Bounds = self.law.cdf(floor(self._places(x)))
        return found

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        a, b = ceil(self._places(first)), floor(self._places(last))
        found: Bounds = self.law.between(a, b) if a <= b else ZERO
        return found

    def log_ratio(self, other: Law, x: Any) -> Bounds:
        """ln P(x) / Q(x), on a grid of the same step; both positive."""
        if isinstance(other, GridLaw) and other.step == self.step:
            found: Bounds = self.law.log_ratio(other.law, int(self._places(x)))
            return found
        return log(over(self.pmf(x), other.pmf(x)))

    def __repr__(self) -> str:
        # The law on the integers counts steps: its centre says little to a reader.
        law, step = self.law, told(self.step)
        if isinstance(law, RoundedLaplaceLaw | RoundedGaussianLaw):
            return f"GridLaw({self.ideal!r} rounded, step={step})"
        if isinstance(law, CellsLaw) and law.shift == _HALF and law.step == self.step:
            return f"GridLaw({law.law!r} rounded, step={step})"
        return f"GridLaw(step * {law!r}, step={step})"


def on_integers(p: Any, q: Any) -> tuple[Any, Any]:
    """The laws on the integers behind two laws on one grid; other laws as they are."""
    if isinstance(p, GridLaw) and isinstance(q, GridLaw) and p.step == q.step:
        return p.law, q.law
    return p, q


def rounded(law: Any, step: Any) -> GridLaw:
    """The law of X rounded to the nearest multiple of a step, half steps up.

    Raises:
        ParameterError: a step that is not positive; a law without numbers for outcomes.
    """
    width = positive(step, "step")
    if isinstance(law, LaplaceLaw):
        return GridLaw(RoundedLaplaceLaw(law.center / width, law.scale / width), width)
    if isinstance(law, GaussianLaw):
        return GridLaw(RoundedGaussianLaw(law.center / width, law.scale / width), width)
    if not hasattr(law, "cell"):
        raise ParameterError(
            f"{type(law).__name__} is no law on the line",
            place="law",
            remedy="push(law, function) for laws on finitely many outcomes",
        )
    return GridLaw(CellsLaw(law, width), width)
