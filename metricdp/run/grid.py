"""The public grid on which noise is drawn, and what rounding to it costs.

Theorem.  Let a statistic f with n real entries move by at most D in the mechanism's norm (L1 for
Laplace, L2 for Gaussian) between two inputs.  Round every entry to the grid of step h, to ticks
floor(f/h + 1/2).  An entry that moves by t moves by at most ceil(t/h) < t/h + 1 ticks, and by none
if t = 0, so the ticks move by at most D/h + e with e = n in L1 and e = sqrt(n) in L2 (Minkowski).
Add integer noise of tick scale B = (b/h)(1 + e h/m), for a public m > 0.  Then for every D >= m
  (D/h + e) / B = (D + e h) / (b (1 + e h/m)) <= D / b,
so Laplace costs epsilon <= D/b and Gaussian rho <= D^2/(2 b^2): the printed cost, for the real
statistic.  For 0 < D < m the cost is that of a movement D + e h, less than D/b + e h/b.

m is the least movement that the guarantee covers: at integer distances, the movement at distance 1
(movement grows with distance).  Only for inputs with distances below 1 (real vectors) the last
sentence applies; `Grid.rounding` states e h.  The choice of h makes e h / b about 2**-40.
A value that is proved to lie on the grid moves by exactly D/h ticks: B = b/h and no rounding.
h depends on public numbers only: the scale, the bound, the number of entries.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import msgspec

#: The noise spans at least 2**40 steps, so that its grid is finer than any use of it.
FINE = 40
#: And at most about 2**50, so that draws fit 64 bits.
_COARSE = 50
#: A proved grid finer than this is not used: draws would need more than 64 bits.
_LIMIT = 53


class Grid(msgspec.Struct, frozen=True):
    """How one draw is made.

    Attributes:
        exponent: the step is 2**exponent.
        tick_scale: scale of the integer noise, in steps.
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
        """Scale of the noise in units of the statistic: the declared one, slightly widened."""
        return self.tick_scale * self.step


def choose_grid(
    scale: Fraction, least: Fraction, entries: int, *, euclidean: bool, on_grid: int | None = None
) -> Grid:
    """The grid for noise of a scale.

    Args:
        scale: Laplace scale or Gaussian standard deviation, > 0, in units of the statistic.
        least: least positive movement that the guarantee covers; 0 if none is known.
        entries: number of entries that get noise.
        euclidean: the movement is measured in L2 (Gaussian), else in L1.
        on_grid: exponent j when every entry is proved to be a multiple of 2**j.
    """
    excess = Fraction(_root_up(entries) if euclidean else entries)
    widest = floor_log2(scale)
    exponent = widest - FINE
    if least > 0 and excess:
        exponent = min(exponent, floor_log2(least / excess) - FINE)
    exponent = max(exponent, widest - _COARSE)
    if on_grid is not None and on_grid >= widest - _LIMIT:
        exponent = min(exponent, on_grid)
        return Grid(exponent, scale / power(exponent), Fraction(0))
    step = power(exponent)
    widening = 1 + excess * step / least if least > 0 else Fraction(1)
    return Grid(exponent, scale / step * widening, excess * step)


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


def _root_up(n: int) -> int:
    return isqrt(n - 1) + 1 if n > 0 else 0
