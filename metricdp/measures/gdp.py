"""Composition of Gaussian noise: k steps with ratios u_i are one Gaussian with sqrt(sum u_i^2).

The privacy losses of Gaussian steps are Gaussian and independent of the past given the ratios, so
adaptive steps with ratios at most u_i are sqrt(sum u_i^2)-GDP, and the profile of one Gaussian is
the answer, exactly.  Source: Dong, Roth, Su (2022), Corollary 3.3; Balle and Wang (2018), Thm 8.

What is drawn is discrete Gaussian noise on a grid of S >= 2^40 steps per standard deviation.  The
proof in `measures.gaussian` carries over to N entries in sequence, the centre of step i depending
on the outputs before it: each of its density ratios is a product over entries, and the ball is
around the running centre.  Hence, with R^2 = 4 (N ln(3/2) + ln(1/tail)),
  profile <= e^(N/8S^2) delta(eps - l, u) + tail,   l = ((R + u)^2 + 2 N) / 8 S^2.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.measures.gaussian import MAX_ENTRIES, MIN_TICKS, profile_upper
from metricdp.measures.orders import checked_delta
from metricdp.measures.rounded import root_up, short_up

#: The most steps: N = steps * MAX_ENTRIES keeps the grid's error below 1e-9.
MAX_STEPS = 1 << 20


def composed_profile(epsilon: Fraction, u: Fraction, steps: int, tail: Fraction) -> Fraction:
    """delta at epsilon of `steps` Gaussian steps on the grid with total ratio u, rounded up.

    Args:
        steps: at most `MAX_STEPS`.
        tail: probability that the proof may give away, in (0, 1).
    """
    shift, factor = grid_error(u, steps, tail)
    return min(Fraction(1), factor * profile_upper(epsilon - shift, u) + tail)


def grid_error(u: Fraction, steps: int, tail: Fraction) -> tuple[Fraction, Fraction]:
    """(l, factor) with profile on the grid <= factor * continuous profile(epsilon - l) + tail.

    Args:
        u: total ratio of the Gaussian steps.
        steps: at most `MAX_STEPS`.
        tail: in (0, 1).
    """
    entries = steps * MAX_ENTRIES
    bits = (tail.denominator // tail.numerator).bit_length() + 1
    # ln(3/2) < 0.41 and ln x < 0.7 * bits of x; (R + u)^2 <= 2 R^2 + 2 u^2; e^x <= 1 + 2x, x <= 1.
    radius2 = 4 * (Fraction(41, 100) * entries + Fraction(7, 10) * bits)
    s2 = 8 * Fraction(MIN_TICKS) ** 2
    shift = (2 * radius2 + 2 * u * u + 2 * entries) / s2
    return shift, 1 + 2 * Fraction(entries) / s2


def gaussian_epsilon(rho: Fraction, steps: int, delta: Fraction) -> Fraction:
    """The least epsilon at delta of Gaussian steps with total rho = sum u_i^2 / 2, rounded up.

    The relative excess over the continuous optimum is about 2^-20.

    Raises:
        ParameterError: delta outside (0, 1).
    """
    delta = checked_delta(delta)
    u = short_up(root_up(2 * Fraction(rho)))
    tail = delta / 2**60
    zero = Fraction(0)
    if not u or composed_profile(zero, u, steps, tail) <= delta:
        return zero
    # The simple zCDP bound, and some, is certainly enough; doubling finds a bracket.
    low, high = zero, max(Fraction(rho), Fraction(1, 2**20))
    while composed_profile(high, u, steps, tail) > delta:
        low, high = high, 2 * high
    while high - low > high / 2**20:
        middle = short_up((low + high) / 2, 40)
        if composed_profile(middle, u, steps, tail) <= delta:
            high = middle
        else:
            low = middle
    return high
