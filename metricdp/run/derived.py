"""Intervals of numbers that are computed from several draws.

Each draw is a true number plus noise, and an output is f of what was drawn, where f is arithmetic
with public numbers.  The interval is around f of the true numbers.  Noises are drawn independently
of each other: the scale of one may depend on what was drawn before, its chance to lie within so
many scales does not.  So k draws all lie within the half-widths of confidence c^(1/k) with a chance
of at least c, and then f of the true numbers lies among the values of f on that box, which interval
arithmetic encloses.  A quotient whose divisor may be 0 on the box has no interval.
Source: Sidak (1967) for independent errors; Moore (1966) for interval arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import Any

from metricdp.errors import ExpressionError
from metricdp.expr import Expr, num, parse, sym
from metricdp.run.draws import Drawn

#: Longest text of a formula that a release keeps.
_LONGEST = 2000
#: What stands in place of an interval.
NO_INTERVAL = "no interval: a divisor may be 0"


def formula(expr: Expr, env: Mapping[str, Fraction], places: Mapping[str, int]) -> str | None:
    """A number in draws as a text in d0, d1, ...; None where it is not made of them alone.

    Args:
        env: numbers of public names.
        places: symbol of a draw -> its index.
    """
    used = expr.symbols
    if not used <= env.keys() | places.keys():
        return None
    known = tuple((name, env[name]) for name in used if name not in places)
    return _text(expr, known, tuple((name, places[name]) for name in used if name in places))


@lru_cache(maxsize=512)
def _text(
    expr: Expr, known: tuple[tuple[str, Fraction], ...], drawn: tuple[tuple[str, int], ...]
) -> str | None:
    """The same program with the same public numbers asks for the same text at every release."""
    values = {name: num(number) for name, number in known}
    values |= {name: sym(f"d{index}") for name, index in drawn}
    try:
        found = expr.subs(values)
        text = str(found)
    except (ExpressionError, ArithmeticError, ValueError):  # after a spend nothing may fail here
        return None
    return text if found.symbols and len(text) <= _LONGEST else None


def interval(text: str, draws: Sequence[Drawn], confidence: float) -> tuple[float, float] | None:
    """The interval of a formula, at least with this confidence; None: it has none.

    Args:
        text: see `formula`.
        confidence: in (0, 1).

    Raises:
        ParameterError: confidence outside (0, 1).
    """
    expr = parse(text)
    used = {name: draws[int(name[1:])] for name in sorted(expr.symbols)}
    # Rounded up, so that all of them together have at least the confidence.
    each = nextafter(confidence ** (1 / len(used)), 1.0) if 0 < confidence < 1 else confidence
    box: dict[str, Any] = {}
    for name, draw in used.items():
        width = draw.half_width(min(nextafter(each, 1.0), nextafter(1.0, 0.0)))
        if width is None or width == inf:
            return None
        centre = Fraction(draw.value)
        box[name] = centre - Fraction(width), centre + Fraction(width)
    try:
        low, high = expr.enclose(box)
        ends = nextafter(float(low), -inf), nextafter(float(high), inf)
    except (ExpressionError, OverflowError):
        return None
    return None if inf in (-ends[0], ends[1]) else ends


def shown(
    value: Any, text: str, draws: Sequence[Drawn], show: Callable[[Any, float | None], str]
) -> str:
    """An output with its interval at 95%, as a person reads it."""
    found = interval(text, draws, 0.95)
    if found is None:
        return f"{show(value, None)}   ({NO_INTERVAL})"
    width = (found[1] - found[0]) / 2
    ends = " to ".join(show(end, width) for end in found)
    return f"{show(value, width)}   in {ends} (95%)"
