"""Squared and joint deviations of rows in a box: how far k replaced rows move them.

Let n - k rows stay and k change.  The sum of squared deviations is that of the rows that stay, plus
g(K) = sum over K of (x - a)^2 - (k^2/n) (mean of K - a)^2, where a is the mean of the rows that
stay.  All of K at a gives 0, so the movement is at most the largest g; g is convex in each entry of
K and in a, so it is largest at corners: j rows at one end, the others and a at the other end, where
it is R^2 j(n - j)/n with j <= k.  That grows until j = floor(n/2).
The sum of products of deviations is the same with (x - a)(y - b), which is affine in each entry, in
a and in b: at a corner, say a = b = 0, it is p - (p + q)(p + r)/n for p rows at (1, 1), q at
(1, 0), r at (0, 1); the largest is j(n - j)/n, the least -floor(k^2/4)/n.  Their difference bounds
the movement, and both are attained with the same rows staying.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, Expr, floor, minimum, num
from metricdp.primitives._common import public_number, row_range
from metricdp.record import Arg, Refusal, Requirement, refuse
from metricdp.spaces import Records


def sized(x: Arg, verb: str) -> tuple[Records, Expr]:
    """The table and its public number of rows.

    Raises:
        Refusal: no table, or one whose number of rows is private.
    """
    space = x.space
    if not isinstance(space, Records):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs the rows of a table, and {x.text} is none",
            need="a Records argument",
            help=f"dp.{verb}(dp.clamp(rows, lower, upper))",
        )
    if space.size is None:
        raise private_size(x, verb)
    return space, space.size


def private_size(x: Arg, verb: str) -> Refusal:
    """Why the rule needs a public number of rows."""
    return refuse(
        "unsupported-call",
        f"`{verb}` divides by the number of rows of {x.text}, which is private",
        need="a public number of rows",
        help=f"dp.{verb}(dp.resize({x.text}, size, constant))",
    )


def bounded(x: Arg, space: Records, verb: str) -> tuple[Expr, Expr]:
    """Finite bounds of the rows.

    Raises:
        Refusal: rows without bounds, or that are no numbers.
    """
    lo, hi, _ = row_range(space, x.text, verb)
    if lo.is_infinite or hi.is_infinite:
        raise refuse(
            "unbounded-sum",
            f"one person can move this {verb} by any amount",
            need="finite public bounds on each row",
            help=f"dp.{verb}(dp.clamp({x.text}, lower, upper))",
        )
    return lo, hi


def squares_moved(n: Expr) -> Expr:
    """How far the sum of squared deviations of rows in [0, 1] moves, for d_in of n replaced rows.

    j(n - j)/n with j = min(d_in, floor(n/2)); for a symbol n the chord d_in (n - 1)/n, which is not
    smaller at whole distances.
    """
    known = n.as_fraction()
    if known is None:
        return D * (n - 1) / n
    j = minimum(D, num(known // 2))
    return j * (n - j) / n if known else D


def products_moved(n: Expr) -> Expr:
    """The same for products of deviations in two columns; the chord is d_in (n - 1)/n as well.

    For k >= 2 the exact value (k(n - k) + floor(k^2/4))/n is at most k(n - 1)/n: the difference is
    (k^2 - k - floor(k^2/4))/n >= 0.
    """
    known = n.as_fraction()
    if known is None:
        return D * (n - 1) / n
    k = minimum(D, num(known))
    return squares_moved(n) + floor(k**2 / 4) / n if known else D


def degrees(n: Expr, ddof: Arg, verb: str) -> tuple[Expr, Requirement]:
    """n - ddof, and that it must be positive; `ddof` is 1 if it is left out.

    Raises:
        Refusal: a private or unknown `ddof`, or as many rows as `ddof`.
    """
    freedom = public_number(ddof, ONE, verb, "ddof")
    if (n - freedom).is_zero:
        raise refuse(
            "requirement-fails",
            f"`{verb}` divides by the {n} rows less `ddof`, which is 0",
            need="more rows than `ddof`",
            help=f"dp.{verb}(rows, ddof=0), or more rows",
        )
    return n - freedom, Requirement(n, ">", freedom, remedy="give more rows than `ddof`")


def ends(space: Any) -> tuple[Fraction, Fraction]:
    """Both bounds of a concrete row."""
    lo, hi = space.lo.as_fraction(), space.hi.as_fraction()
    assert lo is not None and hi is not None
    return lo, hi
