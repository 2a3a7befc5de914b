"""Value facts of data that enter: NaN, infinities, -0.0, bounds, norms; enforced, never shown.

Every function takes a `Notice`: silent by default; under `strict=True` the first violation raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, isqrt
from typing import TYPE_CHECKING, Any

from metricdp.errors import DataValueError, ParameterError, SpaceError
from metricdp.spaces.norms import L1, L2, LInf
from metricdp.values.exact import LARGEST, Exact, exact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The integers that are kept; others saturate.
LEAST, MOST = -(1 << 63), (1 << 63) - 1

#: Types that denote rationals as they are; asked first, for speed.
_RATIONAL = frozenset({bool, int, Fraction, Exact})

#: Lower and upper bound; None where there is none.
Range = tuple[Fraction | None, Fraction | None]


class Notice:
    """What happens when a value fact fails: nothing, or under strict a `DataValueError`.

    Attributes:
        late: matrices may be read where they lie, when they are used.
    """

    __slots__ = ("late", "name", "strict")

    def __init__(self, name: str, strict: bool, late: bool = False) -> None:
        self.name, self.strict, self.late = name, strict, late

    def __call__(self, failed: bool, fact: str) -> None:
        """Raise if strict and `failed`; `fact` names the violation, never the value."""
        if self.strict and failed:
            raise DataValueError(
                f"{fact} (refused because strict=True; the refusal depends on the data, so it is "
                "outside the guarantee)",
                place=self.name,
                remedy="leave out strict=True, and the declared facts are enforced silently",
            )


def clean_number(x: Any, limits: Range, integer: bool, notice: Notice) -> Exact:
    """A number within its bounds: NaN gives 0, infinities the largest double, integers beyond 64
    bits the nearest one of 64 bits, then clamping."""
    if type(x) not in _RATIONAL and not isinstance(x, (int, Fraction)):
        x = float(x) if getattr(getattr(x, "dtype", None), "kind", "f") == "f" else int(x)
        if isinstance(x, float):
            notice(x != x, "NaN")
            notice(abs(x) == float("inf"), "an infinite value")
    number = exact(x)
    if LEAST <= number.numerator <= MOST:
        pass  # No number is further from 0 than its numerator, so it is within either range.
    elif integer:
        notice(not LEAST <= number <= MOST, "an integer beyond 64 bits")
        number = min(max(number, Fraction(LEAST)), Fraction(MOST))
    else:
        notice(abs(number) > LARGEST, "a number beyond the largest double")
        number = min(max(number, -LARGEST), LARGEST)
    low, high = limits
    if low is None and high is None:
        return Exact._of(number)
    if integer:
        low, high = whole(limits)
    fits = (low is None or number >= low) and (high is None or number <= high)
    notice(not fits, "a value outside the declared bounds")
    if not fits:
        number = low if low is not None and number < low else high  # type: ignore[assignment]
    return Exact._of(number)


def whole(limits: Range) -> Range:
    """The bounds rounded inwards to integers."""
    low, high = limits
    return (
        None if low is None else Fraction(-(-low.numerator // low.denominator)),
        None if high is None else Fraction(high.numerator // high.denominator),
    )


def clean_floats(array: Any, limits: Range, notice: Notice) -> NDArray[np.float64]:
    """A fresh float64 array: finite, without -0.0, within bounds rounded inwards to doubles.

    Raises:
        ParameterError: no double lies within the bounds.
    """
    import numpy as np

    bottom, top = doubles_within(limits, notice.name)
    with np.errstate(all="ignore"):
        # Adding 0.0 copies and turns -0.0 into 0.0.
        clean = np.add(np.asarray(array).astype(np.float64, copy=False), 0.0)
        # A finite sum has finite terms.
        finite = isfinite(np.add.reduce(clean, axis=None)) or bool(np.isfinite(clean).all())
        if not finite:
            notice(bool(np.isnan(clean).any()), "NaN")
            notice(bool(np.isinf(clean).any()), "an infinite value")
            clean = np.nan_to_num(clean, copy=False)
        if bottom is not None or top is not None:
            outside = notice.strict and bool(_outside(clean, bottom, top))
            notice(outside, "a value outside the declared bounds")
            np.clip(clean, bottom, top, out=clean)
    return clean


def doubles_within(limits: Range, name: str) -> tuple[float | None, float | None]:
    """The bounds rounded inwards to doubles.

    Raises:
        ParameterError: no double lies within the bounds.
    """
    low, high = limits
    bottom = None if low is None else _double(low, up=True)
    top = None if high is None else _double(high, up=False)
    if bottom is not None and top is not None and bottom > top:
        raise ParameterError(
            "no double lies between the bounds", place=name, remedy="widen the bounds"
        )
    return bottom, top


def clean_integers(array: Any, limits: Range, notice: Notice) -> NDArray[np.int64]:
    """A fresh int64 array within its bounds; unsigned 64-bit values saturate."""
    import numpy as np

    raw = np.asarray(array)
    least, most = LEAST, MOST
    if raw.dtype.kind == "u" and raw.dtype.itemsize == 8:
        notice(bool((raw > np.uint64(most)).any()), "an integer beyond 64 bits")
        raw = np.minimum(raw, np.uint64(most))
    clean: NDArray[np.int64] = raw.astype(np.int64)
    low, high = whole(limits)
    bottom = least if low is None else max(min(int(low), most), least)
    top = most if high is None else max(min(int(high), most), least)
    outside = notice.strict and bool(_outside(clean, bottom, top))
    notice(outside, "a value outside the declared bounds")
    np.clip(clean, bottom, top, out=clean)
    return clean


def saturated(integers: Sequence[Any], notice: Notice) -> list[int]:
    """Integers of any type as Python integers of 64 bits."""
    found = [int(x) for x in integers]
    notice(any(not LEAST <= x <= MOST for x in found), "an integer beyond 64 bits")
    return [min(max(x, LEAST), MOST) for x in found]


def into_ball(
    row: Sequence[Exact],
    radii: Sequence[tuple[str, Fraction]],
    limits: Range,
    integer: bool,
    notice: Notice,
) -> list[Exact]:
    """The row, moved towards the point of its bounds nearest to 0 until its norms hold.

    Norms are exact or rounded outwards, so the result never exceeds a radius.

    Raises:
        ParameterError: no row within the bounds has so small a norm (public facts only).
    """
    moved = list(row)
    for norm, radius in radii:
        if _norm_at_most(moved, norm, radius):
            continue
        notice(True, f"a row whose {norm} norm exceeds the declared bound")
        low, high = whole(limits) if integer else limits
        centre = Fraction(low if low is not None and low > 0 else 0)
        centre = high if high is not None and high < 0 else centre
        rest = radius - _norm_up([Exact(centre)] * len(moved), norm)
        if rest < 0:
            raise ParameterError(
                f"the declared bounds leave no row with {norm} norm at most {radius}",
                place=notice.name,
                remedy="widen the bounds or the row bound",
            )
        away = [x - centre for x in moved]
        factor = rest / _norm_up(away, norm)
        steps = [_inward(x * factor) if integer else x * factor for x in away]
        moved = [Exact(centre + x) for x in steps]
    return moved


def _norm_at_most(row: Sequence[Fraction], norm: str, radius: Fraction) -> bool:
    if norm == L2.name:
        return Fraction(sum(x * x for x in row)) <= radius * radius
    return _norm_up(row, norm) <= radius


def _norm_up(row: Sequence[Fraction], norm: str) -> Fraction:
    if norm == L1.name:
        return Fraction(sum((abs(x) for x in row), Fraction(0)))
    if norm == LInf.name:
        return Fraction(max((abs(x) for x in row), default=Fraction(0)))
    if norm != L2.name:
        raise SpaceError(f"no rows are kept within a bound in {norm}")
    return root_above(Fraction(sum((x * x for x in row), Fraction(0))))


def root_above(square: Fraction) -> Fraction:
    """The root of a number >= 0, rounded up by less than 2**-60 of it."""
    if not square:
        return Fraction(0)
    # isqrt of the scaled square, plus 1 when inexact: relative error below 2**-60.
    shift = max(0, 128 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    scaled = -(-(square.numerator << shift) // square.denominator)
    root = isqrt(scaled)
    root += root * root < scaled
    return Fraction(root, 1 << (shift // 2))


def _inward(x: Fraction) -> Fraction:
    return Fraction(abs(x.numerator) // x.denominator) * (1 if x.numerator >= 0 else -1)


def _outside(array: Any, low: Any, high: Any) -> Any:
    below = low is not None and bool((array < low).any())
    return below or (high is not None and bool((array > high).any()))


def _double(x: Fraction, *, up: bool) -> float:
    from math import inf, nextafter

    clipped = min(max(x, -LARGEST), LARGEST)
    value = float(clipped)
    if up and Fraction(value) < clipped:
        return nextafter(value, inf)
    if not up and Fraction(value) > clipped:
        return nextafter(value, -inf)
    return value
