"""The contour engine: delta at epsilon and epsilon at delta of a composition, certified.

delta(eps) is an integral of the moment function on a vertical line through the saddle point
(`contour_sum`).  Moments of a composition multiply, so the cost does not depend on how often a
mechanism is repeated, and the relative accuracy not on how small delta is.  Doubles choose where
and how finely to sum; what is returned was computed in balls: a poor choice widens the bracket.
Gaussian noise alone has a closed form, and a few rounds of atoms and Laplace noise an exact sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.measures.losses.bracket import Bracket
from metricdp.measures.losses.contour_profile import finite_part, known, with_leak
from metricdp.measures.losses.contour_root import Root
from metricdp.measures.losses.loss import Loss


def delta(
    parts: Sequence[tuple[Loss, int]], epsilon: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """delta(epsilon) of a composition.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        epsilon: any finite number; a double is the rational it is.
        width: wanted relative width, > 0.  A bracket may be wider, where the moments fall slowly.

    Raises:
        ParameterError: a count, epsilon or width that is no number of its kind.
        UncertifiedError: a part whose moments are not known.
        MissingExtraError: python-flint is not installed.
    """
    whole, e = known(parts), _finite(epsilon, "epsilon")
    return with_leak(whole, finite_part(whole, e, _width(width)))


def epsilon(
    parts: Sequence[tuple[Loss, int]], delta: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """The least epsilon >= 0 with delta(epsilon) <= delta.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        delta: in [0, 1); a double is the rational it is.
        width: wanted absolute width of the bracket, > 0.

    Raises:
        ParameterError: delta outside [0, 1), or no finite epsilon has this delta.
        UncertifiedError: no upper bound could be certified (the moments fall too slowly), or a
            part whose moments are not known.
        MissingExtraError: python-flint is not installed.
    """
    whole, target = known(parts), _finite(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {target}", place="delta", remedy="choose 0 <= delta < 1")
    rest = target - whole.leak[1]
    if rest == 0 and whole.largest is not None:
        low, high = whole.largest
        exact = whole.leak[0] == whole.leak[1]
        low, high = max(Fraction(0), low if exact else low * 0), max(Fraction(0), high)
        return Bracket(low, high, "closed form")
    if rest <= 0:
        leak = f": the mechanisms leak with probability {float(whole.leak[1]):.6g}"
        raise ParameterError(
            f"no finite epsilon has delta = {float(target):.6g}{leak if whole.leak[1] else ''}",
            place="delta",
            remedy="choose a larger delta",
        )
    if not whole.parts:
        return Bracket(Fraction(0), Fraction(0), "closed form")
    return Root(whole, target, _width(width)).found()


def _width(width: float) -> float:
    if not 0 < width < 1:
        raise ParameterError(f"is {width}", place="width", remedy="choose 0 < width < 1")
    return width


def _finite(x: Fraction | int | float, place: str) -> Fraction:
    try:
        return Fraction(x)
    except (ValueError, OverflowError, TypeError):
        raise ParameterError(
            f"{x!r} is no finite number", place=place, remedy="write a decimal or a fraction"
        ) from None
