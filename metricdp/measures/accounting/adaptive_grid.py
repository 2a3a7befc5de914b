"""One round of the recursion of `adaptive_range` on a grid: proved there, in doubles here.

Lines are values at x = -r, -r + h, ..., X + r, and a round's result is at 0, h, ..., X.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.measures.accounting.answer import double_up
from metricdp.measures.rounded import exp_down, exp_up

#: More than a round's relative error of round-off.
SAFE = 2.0**-48
_ZERO, _ONE = Fraction(0), Fraction(1)


class Grid:
    """The step h = r / steps, and the weights of a round, rounded to either side."""

    def __init__(self, r: Fraction, steps: int) -> None:
        import numpy as np

        self.step, self.steps = r / steps, steps
        table = [(exp_down(-m * self.step), exp_up(-m * self.step)) for m in range(steps + 1)]
        least, most = 1 - table[-1][1], 1 - table[-1][0]
        # p_t at t = m h, and 1 - p_t.
        weights = [((1 - high) / most, (1 - low) / least) for low, high in reversed(table)]
        self._low = [(double_down(low), double_down(max(_ZERO, 1 - high))) for low, high in weights]
        self._high = [
            (double_up(min(_ONE, high)), double_up(min(_ONE, 1 - low))) for low, high in weights
        ]
        # sinh(h/2)^2 = (1 - e^-h)^2 e^h / 4, and 1 / a_0 = e^((m + 1) h).
        bend = (1 - table[1][0]) ** 2 / (4 * table[1][0]) * table[-1][1] / least
        self._bends = [double_up(bend / table[m + 1][0]) for m in range(steps)]
        self._slope = float(table[1][1] / (1 - table[1][1]))
        # e^-x and 1 - e^-x at x = r, r - h, ..., h.
        self._back_low = np.array([double_down(low) for low, _ in table[:0:-1]])
        self._back_high = np.array([double_up(high) for _, high in table[:0:-1]])
        self._rest_low = np.array([double_down(1 - high) for _, high in table[:0:-1]])
        self._rest_high = np.array([double_up(1 - low) for low, _ in table[:0:-1]])

    def mirrored_above(self, upper: Any) -> Any:
        """Upper bounds at x = -r, ..., -h from those at 0, h, ..."""
        return (self._rest_high + self._back_high * upper[self.steps : 0 : -1]) * (1 + SAFE)

    def mirrored_below(self, lower: Any) -> Any:
        """The same of lower bounds."""
        return (self._rest_low + self._back_low * lower[self.steps : 0 : -1]) * (1 - SAFE)

    def above(self, line: Any) -> Any:
        """Upper bounds after one round more.

        Args:
            line: upper bounds, >= 0, that do not grow.
        """
        import numpy as np

        steps, size = self.steps, len(line) - 2 * self.steps
        at_zero = line[:-1] + self._slope * (line[:-1] - line[1:])
        # Either value at 0 errs by less than 5 2^-53 (1 + slope) of the larger point.
        cancelled = 2.0**-46 * (1 + self._slope) * line[: -1 - steps]
        apart = np.maximum(at_zero[:-steps] - at_zero[steps:], 0.0) + cancelled
        upper, one = np.zeros(size), np.zeros(0)
        for m, (p, q) in enumerate(self._high):
            here = slice(steps - m, steps - m + size)
            two = p * line[here] + q * line[here.start + steps : here.stop + steps]
            if m:
                bound = self._bends[m - 1] * apart[here]
                bound -= 0.25 * np.abs(one - two)
                np.maximum(bound, 0.0, out=bound)
                bound += np.maximum(one, two)
                np.maximum(upper, bound, out=upper)
            one = two
        return upper * (1 + SAFE)

    def below(self, line: Any) -> Any:
        """Lower bounds after one round more, from lower bounds >= 0."""
        import numpy as np

        steps, size = self.steps, len(line) - 2 * self.steps
        lower = np.zeros(size)
        for m, (p, q) in enumerate(self._low):
            at = steps - m
            value = p * line[at : at + size] + q * line[at + steps : at + steps + size]
            np.maximum(lower, value, out=lower)
        return lower * (1 - SAFE)


def double_down(x: Fraction) -> float:
    """The largest double that is not above x."""
    return -double_up(-x)
