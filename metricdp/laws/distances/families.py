"""Distances of laws that are no lists of rationals: parametric on the line, enclosed masses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.distances import enclosed_laws, line_moves, line_ratios
from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.line_excess import line_excess
from metricdp.laws.law import LineLaw
from metricdp.laws.numbers import share
from metricdp.laws.space import FiniteSpace


def factor(value: Any) -> Fraction:
    """e**epsilon as a rational >= 0; ParameterError otherwise."""
    t = share(value, "factor")
    if t < 0:
        raise ParameterError("must not be negative", place="factor")
    return t


def dp(p: Any, q: Any) -> Distance:
    """The larger of both directions."""
    if _on_line(p, q):
        return line_ratios.symmetric(p, q)
    there, back = dp_one_sided(p, q), dp_one_sided(q, p)
    return Distance(max(there.low, back.low), max(there.high, back.high), there.how)


def dp_one_sided(p: Any, q: Any) -> Distance:
    """Max divergence."""
    if _on_line(p, q):
        return line_ratios.one_sided(p, q)
    return enclosed_laws.one_sided(p, q)


def excess(p: Any, q: Any, t: Fraction) -> Distance:
    """sup over events of P(S) - t Q(S)."""
    if _on_line(p, q):
        return line_excess(p, q, t)
    return enclosed_laws.excess(p, q, t)


def em(p: Any, q: Any, space: FiniteSpace | None) -> Distance:
    """Earth mover's distance."""
    if _on_line(p, q) and space is None:
        return line_moves.earth_mover(p, q)
    return enclosed_laws.moved(p, q, space, False)


def wc(p: Any, q: Any, space: FiniteSpace | None) -> Distance:
    """Prokhorov distance."""
    if _on_line(p, q) and space is None:
        return line_moves.prokhorov(p, q)
    return enclosed_laws.moved(p, q, space, True)


def _on_line(p: Any, q: Any) -> bool:
    return isinstance(p, LineLaw) or isinstance(q, LineLaw)
