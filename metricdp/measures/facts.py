"""What a Renyi curve implies under other measures: pure epsilon and rho, where it has them."""

from __future__ import annotations

from fractions import Fraction

from metricdp.measures.renyi import (
    Composed,
    Curve,
    Gaussian,
    Laplace,
    Least,
    Linear,
    Range,
    Response,
    Worst,
)
from metricdp.measures.rounded import exp_up, short_up


def pure_epsilon(curve: Curve) -> Fraction | None:
    """epsilon with delta = 0, or None."""
    match curve:
        case Response(epsilon=epsilon) | Laplace(epsilon=epsilon) | Range(epsilon=epsilon):
            return epsilon
        case Linear(rho=rho) if not rho:
            return Fraction(0)
        case Composed(parts=parts):
            return _total([(pure_epsilon(part), count) for part, count in parts])
        case Worst(options=options):
            return _largest([pure_epsilon(option) for option in options])
        case Least(bounds=bounds):
            return _least([pure_epsilon(bound) for bound in bounds])
    return None


def zcdp_rho(curve: Curve) -> Fraction | None:
    """A rho with D_alpha <= rho alpha at every order, rounded up, or None."""
    match curve:
        case Linear(rho=rho):
            return rho
        case Response(epsilon=epsilon) | Laplace(epsilon=epsilon):
            return response_rho(epsilon)
        case Range(epsilon=epsilon):
            return min(response_rho(epsilon), short_up(epsilon * epsilon / 8))
        case Composed(parts=parts):
            return _total([(zcdp_rho(part), count) for part, count in parts])
        case Worst(options=options):
            return _largest([zcdp_rho(option) for option in options])
        case Least(bounds=bounds):
            return _least([zcdp_rho(bound) for bound in bounds])
    return None


def response_rho(epsilon: Fraction) -> Fraction:
    """epsilon tanh(epsilon / 2), rounded up: rho and expected loss of randomized response."""
    growth = exp_up(epsilon)
    return short_up(epsilon * (growth - 1) / (growth + 1))


def gaussian_rho(curve: Curve) -> Fraction | None:
    """rho, if the curve is that of Gaussian noise whose profile is known."""
    if isinstance(curve, Gaussian) and curve.fine:
        return curve.rho
    return Fraction(0) if isinstance(curve, Linear) and not curve.rho else None


def _total(parts: list[tuple[Fraction | None, int]]) -> Fraction | None:
    total = Fraction(0)
    for value, count in parts:
        if value is None:
            return None
        total += count * value
    return total


def _largest(values: list[Fraction | None]) -> Fraction | None:
    known = [x for x in values if x is not None]
    return max(known) if len(known) == len(values) else None


def _least(values: list[Fraction | None]) -> Fraction | None:
    known = [x for x in values if x is not None]
    return min(known) if known else None
