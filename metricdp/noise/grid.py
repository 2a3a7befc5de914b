"""The public grid on which selections compare scores, and what rounding to it costs.

(Released numbers need no such payment: they are the continuous mechanism, rounded afterwards; see
`noise.rounded`.)

Theorem.  Let a score f move by at most D between two inputs.  Round it to the grid of step h, to
ticks floor(f/h + 1/2).  A score that moves by t moves by at most ceil(t/h) < t/h + 1 ticks, and by
none if t = 0.  Add integer noise of tick scale B = (b/h)(1 + h/m), for a public m > 0.  Then for
every D >= m
  (D/h + 1) / B = (D + h) / (b (1 + h/m)) <= D / b,
the printed cost, for the real scores.  For 0 < D < m the cost is that of a movement D + h, less
than D/b + h/b.

m is the least movement that the guarantee covers: at integer distances, the movement at distance 1
(movement grows with distance).  Only for inputs with distances below 1 (real vectors) the last
sentence applies; `Grid.rounding` states h.  The choice of h makes h / b about 2**-40.
h depends on public numbers only: the scale and the bound.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import msgspec

#: The noise spans at least 2**40 steps, so that its grid is finer than any use of it.
FINE = 40
#: And at most about 2**50, so that draws fit 64 bits.
_COARSE = 50


class Grid(msgspec.Struct, frozen=True):
    """How one draw is made.

    Attributes:
        exponent: the step is 2**exponent.
        tick_scale: scale of the noise, in steps.
        rounding: for movements below `least`, the cost is that of a movement larger by this.
    """

    exponent: int
    tick_scale: Fraction
    rounding: Fraction

    @property
    def step(self) -> Fraction:
        """Length of one step, in units of the statistic."""
        return power(self.exponent)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise in units of the statistic: the declared one, or slightly widened."""
        return self.tick_scale * self.step


def choose_grid(scale: Fraction, least: Fraction) -> Grid:
    """The grid for comparisons under noise of a scale.

    Args:
        scale: Laplace scale, > 0, in units of the scores.
        least: least positive movement that the guarantee covers; 0 if none is known.
    """
    return _chosen(*scale.as_integer_ratio(), *least.as_integer_ratio())


@lru_cache(maxsize=256)
def _chosen(top: int, bottom: int, up: int, down: int) -> Grid:
    """`choose_grid`: integers are found again sooner than fractions."""
    scale, least = Fraction(top, bottom), Fraction(up, down)
    widest = floor_log2(scale)
    exponent = widest - FINE
    if least > 0:
        exponent = min(exponent, floor_log2(least) - FINE)
    exponent = max(exponent, widest - _COARSE)
    step = power(exponent)
    widening = 1 + step / least if least > 0 else Fraction(1)
    return Grid(exponent, scale / step * widening, step)


def to_ticks(x: Fraction, exponent: int) -> int:
    """floor(x / 2**exponent + 1/2), exactly."""
    top, bottom = x.numerator, x.denominator
    if exponent >= 0:
        bottom <<= exponent
    else:
        top <<= -exponent
    return (2 * top + bottom) // (2 * bottom)


def power(exponent: int) -> Fraction:
    """2**exponent."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(x: Fraction) -> int:
    """The e with 2**e <= x < 2**(e + 1), for x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= power(e) else e - 1
