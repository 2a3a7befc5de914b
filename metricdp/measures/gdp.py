"""Composition of Gaussian noise: k steps with ratios u_i are one Gaussian with sqrt(sum u_i^2).

The privacy losses of Gaussian steps are Gaussian and independent of the past given the ratios, so
adaptive steps with ratios at most u_i are sqrt(sum u_i^2)-GDP, and the profile of one Gaussian is
the answer, exactly.  Source: Dong, Roth, Su (2022), Corollary 3.3; Balle and Wang (2018), Thm 8.

What is released is continuous noise that was added first and rounded afterwards (`noise.rounded`,
ADR 8).  That is post-processing, so the profile holds as it stands, for any number of steps and
entries, and whatever is asked between them.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.measures.gaussian import profile_upper
from metricdp.measures.orders import checked_delta
from metricdp.measures.rounded import root_up, short_up


def composed_profile(epsilon: Fraction, rho: Fraction) -> Fraction:
    """delta at epsilon of Gaussian steps with total rho = sum u_i^2 / 2, rounded up."""
    return profile_upper(epsilon, short_up(root_up(2 * Fraction(rho))))


def gaussian_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The least epsilon at delta of Gaussian steps with total rho = sum u_i^2 / 2, rounded up.

    The relative excess over the optimum is about 2^-20.

    Raises:
        ParameterError: delta outside (0, 1).
    """
    delta = checked_delta(delta)
    zero = Fraction(0)
    if not rho or composed_profile(zero, rho) <= delta:
        return zero
    # The simple zCDP bound, and some, is certainly enough; doubling finds a bracket.
    low, high = zero, max(Fraction(rho), Fraction(1, 2**20))
    while composed_profile(high, rho) > delta:
        low, high = high, 2 * high
    while high - low > high / 2**20:
        middle = short_up((low + high) / 2, 40)
        if composed_profile(middle, rho) <= delta:
            high = middle
        else:
            low = middle
    return high
