"""Vectors that enter as arrays: their value facts, enforced on all entries at once.

The facts are those of `run.facts`, and so are the numbers: what has no form in arrays (texts,
Booleans as data, fractions, bounds that are no doubles) is left to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from metricdp.run.facts import (
    LEAST,
    MOST,
    Notice,
    Range,
    clean_floats,
    clean_integers,
    into_ball,
    root_above,
    whole,
)
from metricdp.spaces.norms import L1, L2, LInf
from metricdp.values import Numbers

#: Integers up to here are doubles.
_EXACT = 1 << 53


def numbers(kind: str, limits: Range, raw: Any, kinds: set[type], notice: Notice) -> Any:
    """Clean `Numbers`; None where they have no array form.

    Args:
        kind: "float", "int", or "" for any scalar; other kinds have none.
        raw: a list or an array whose schema facts were checked.
        kinds: types of the cells of a list.
    """
    if kind not in ("float", "int", ""):
        return None
    array = _of_cells(raw, kinds, kind) if isinstance(raw, list) else raw
    if array is None or array.dtype.kind not in ("fiu" if kind == "" else "biuf"):
        return None
    if array is raw and array.dtype.kind != "f":
        array = array.copy()  # what is looked at is what enters, whoever writes to it meanwhile
    if kind == "int":
        low, high = whole(limits)
        fits = LEAST <= (LEAST if low is None else low) <= (MOST if high is None else high) <= MOST
        return Numbers(clean_integers(array, limits, notice)) if fits else None
    if not all(is_double(bound) for bound in limits):
        return None
    if array.dtype.kind == "f":
        return Numbers(clean_floats(array, limits, notice))
    return _whole_numbers(array, limits, notice)


def _of_cells(cells: list[Any], kinds: set[type], kind: str) -> Any:
    import numpy as np

    if (bool in kinds and kind == "") or not kinds <= {float, int, bool}:
        return None
    if kinds <= {float}:
        return np.fromiter(cells, np.float64, len(cells))
    if float in kinds:
        integers = [x for x in cells if type(x) is not float]
        fits = min(integers) >= -_EXACT and max(integers) <= _EXACT
        return np.fromiter(cells, np.float64, len(cells)) if fits else None
    try:
        return np.fromiter(cells, np.int64, len(cells))
    except OverflowError:
        return None


def is_double(bound: Fraction | None) -> bool:
    """Whether a bound is one, or there is none."""
    try:
        return bound is None or Fraction(float(bound)) == bound
    except OverflowError:
        return False


def _whole_numbers(array: Any, limits: Range, notice: Notice) -> Numbers | None:
    """Integers as real numbers."""
    import numpy as np

    if not len(array):
        return Numbers(np.zeros(0))
    least, most = int(array.min()), int(array.max())
    if least >= -_EXACT and most <= _EXACT:
        return Numbers(clean_floats(array, limits, notice))
    if most > MOST or any(bound is not None for bound in limits):
        return None
    return Numbers(array.astype(np.int64))


def into_ball_array(
    x: Numbers, radii: Sequence[tuple[str, Fraction]], limits: Range, integer: bool, notice: Notice
) -> Any:
    """`facts.into_ball` on an array; a list where the result has no array form."""
    low, high = limits
    around_zero = (low is None or low <= 0) and (high is None or high >= 0)
    for norm, radius in radii:
        if surely_within(x, norm, radius) or within(x, norm, radius):
            continue
        if integer or not around_zero:
            return into_ball(x.vector(), radii, limits, integer, notice)
        notice(True, f"a row whose {norm} norm exceeds the declared bound")
        x = x.times(radius / norm_above(x, norm))
    return x


def within(x: Numbers, norm: str, radius: Fraction) -> bool:
    """Whether a norm is at most a radius, exactly."""
    if norm == L2.name:
        return x.square() <= radius * radius
    return norm_above(x, norm) <= radius


def norm_above(x: Numbers, norm: str) -> Fraction:
    """A norm, rounded up in L2."""
    if norm == L1.name:
        return x.size()
    if norm == LInf.name:
        return x.largest()
    if norm == L2.name:
        return root_above(x.square())
    from metricdp.errors import SpaceError

    raise SpaceError(f"no rows are kept within a bound in {norm}")


def surely_within(x: Numbers, norm: str, radius: Fraction) -> bool:
    """Whether doubles alone show that a norm is at most a radius."""
    import numpy as np

    doubles = x.doubles
    if doubles is None or not Fraction(1, 1 << 400) < radius < 1 << 400:
        return False
    # n additions and as many products of relative error 2**-53 each, in any order; what is lost
    # below the least double is far below the margin.
    margin = 1 - (len(x) + 8) * 2.0**-52
    with np.errstate(all="ignore"):
        if norm == L1.name:
            return bool(np.abs(doubles).sum() <= float(radius) * margin)
        if norm == L2.name:
            return bool((doubles * doubles).sum() <= float(radius) ** 2 * margin)
    return False
